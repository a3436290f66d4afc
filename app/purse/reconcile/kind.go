package reconcile

import (
	"slices"
	"strings"

	"rentgen/app/bill/sheet"
)

// Kind is what a row of a bill is for.
type Kind string

// The kinds. Each but the last two is the id of a line of the plan's bill.
const (
	Compute Kind = sheet.LineCompute
	Disk    Kind = sheet.LineDataDisk
	Image   Kind = sheet.LineSystemImage
	Traffic Kind = sheet.LineTraffic
	IP      Kind = sheet.LineIP
	Refund  Kind = "refund"
	TopUp   Kind = "top_up" // money paid in; no cost
)

// Kinds returns the kinds in the order of bills.
func Kinds() []Kind { return []Kind{Compute, Disk, Image, Traffic, IP, Refund, TopUp} }

// kinds are the words by which a row says what it is for, in the order in which
// they are looked for.
var kinds = []struct {
	kind  Kind
	words []string
}{
	{TopUp, []string{"充值", "赠送", "代金券发放", "top up", "topup", "top-up", "recharge", "deposit", "credit added"}},
	{Refund, []string{"退款", "退费", "refund"}},
	{Disk, []string{"数据盘", "系统盘", "云盘", "云硬盘", "硬盘", "磁盘", "存储", "扩容", "disk", "storage", "volume"}},
	{Image, []string{"镜像", "快照", "snapshot", "image"}},
	{Traffic, []string{"流量", "带宽", "traffic", "bandwidth", "egress", "transfer"}},
	{IP, []string{"公网ip", "弹性ip", "eip", "public ip"}},
}

func kindOf(item string) Kind {
	item = strings.ToLower(item)
	for _, k := range kinds {
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(item, w) }) {
			return k.kind
		}
	}
	return Compute
}
