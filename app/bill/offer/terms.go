package offer

// TermID names an item of a quotation; its texts are "term.<id>" and
// "question.<id>".
type TermID string

// Group is where a term stands on the page; its text is "term.group.<group>".
type Group string

// The groups, in order.
const (
	GroupPay       Group = "pay"
	GroupStop      Group = "stop"
	GroupDisk      Group = "disk"
	GroupNetwork   Group = "network"
	GroupRights    Group = "rights"
	GroupInterrupt Group = "interrupt"
	GroupMachine   Group = "machine"
	GroupRefund    Group = "refund"
	GroupWait      Group = "wait"
)

// Kind is how a term's value is read.
type Kind string

// The kinds of values.
const (
	KindMoney  Kind = "money" // of the offer's currency, >= 0
	KindNumber Kind = "number"
	KindShare  Kind = "share" // 0 to 1
	KindCount  Kind = "count" // whole, >= 0
	KindFlag   Kind = "flag"  // true, false
	KindChoice Kind = "choice"
)

// Def defines a term.
type Def struct {
	ID      TermID
	Group   Group
	Kind    Kind
	Unit    string   // "s", "h", "GB", "Mbps", "min", "d", "" ; of money what it is per: "GB·month"
	Options []string // of a choice
	Article bool     // stands on the quotation checklist of the guide
}

// The terms.
const (
	Granularity     TermID = "granularity_s"
	MinBilled       TermID = "min_billed_s"
	MinCharge       TermID = "min_charge"
	Settlement      TermID = "settlement"
	BilledFrom      TermID = "billed_from"
	Balance         TermID = "balance"
	Tax             TermID = "tax_share"
	Discount        TermID = "discount_factor"
	Coupon          TermID = "coupon"
	PackageElapsed  TermID = "package_elapsed_h"
	YearMonths      TermID = "year_months_paid"
	RenewFactor     TermID = "renew_discount_factor"
	StopCompute     TermID = "stop_bills_compute"
	StopSystemDisk  TermID = "stop_bills_system_disk"
	StopDataDisk    TermID = "stop_bills_data_disk"
	StopIP          TermID = "stop_bills_ip"
	StopBandwidth   TermID = "stop_bills_bandwidth"
	StopDiskPrice   TermID = "stop_disk_price_gb_month"
	StopKeepsGPU    TermID = "stop_keeps_gpu"
	GuestShutdown   TermID = "guest_shutdown_stops_billing"
	ReleaseAfter    TermID = "release_after_stopped_h"
	WipeAfter       TermID = "wipe_after_stopped_h"
	IdleReclaim     TermID = "idle_reclaim_min"
	SystemDisk      TermID = "system_disk_gb"
	SystemDiskFree  TermID = "system_disk_free_gb"
	SystemDiskPrice TermID = "system_disk_price_gb_month"
	DataDisk        TermID = "data_disk_gb"
	DataDiskFree    TermID = "data_disk_free_gb"
	DataDiskDay     TermID = "data_disk_price_gb_day"
	DataDiskMonth   TermID = "data_disk_price_gb_month"
	MonthHours      TermID = "month_convention"
	Snapshot        TermID = "snapshot_gb"
	SnapshotFree    TermID = "snapshot_free_gb"
	SnapshotPrice   TermID = "snapshot_price_gb_month"
	SystemImage     TermID = "image_gb"
	ImageFree       TermID = "image_free_gb"
	ImagePrice      TermID = "image_price_gb_month"
	Bandwidth       TermID = "bandwidth_mbps"
	BandwidthPrice  TermID = "bandwidth_price_month"
	Traffic         TermID = "traffic_price_gb"
	TrafficFree     TermID = "traffic_free_gb"
	TrafficPack     TermID = "traffic_package_gb"
	TrafficPackCost TermID = "traffic_package_price"
	CrossRegion     TermID = "cross_region_price_gb"
	PrivateNet      TermID = "private_network"
	IPPrice         TermID = "ip_price_h"
	Root            TermID = "root"
	OwnDriver       TermID = "own_driver"
	KernelModules   TermID = "kernel_modules"
	Docker          TermID = "docker"
	Interruption    TermID = "interruption"
	Notice          TermID = "interruption_notice_s"
	InterruptRate   TermID = "interruptions_per_h"
	InterruptSeen   TermID = "interruptions_seen"
	Watched         TermID = "watched_running_h"
	MaxLife         TermID = "max_life_h"
	Downtime        TermID = "downtime_h"
	Maintenance     TermID = "maintenance_notice_h"
	CPUCores        TermID = "cpu_cores"
	RAM             TermID = "ram_gb"
	DiskSpeed       TermID = "disk_mb_s"
	Refund          TermID = "refund"
	RefundLoss      TermID = "refund_loss_share"
	QueueWait       TermID = "queue_s"
	BootWait        TermID = "boot_s"
	PullWait        TermID = "pull_s"
	LoadWait        TermID = "load_s"
	NoCardShare     TermID = "no_card_share"
	FirstPicture    TermID = "first_picture_s"
)

// Defs returns every term in the order of the page.
func Defs() []Def {
	m := "GB·month"
	return []Def{
		{Granularity, GroupPay, KindCount, "s", nil, true},
		{MinBilled, GroupPay, KindCount, "s", nil, false},
		{MinCharge, GroupPay, KindMoney, "", nil, false},
		{Settlement, GroupPay, KindChoice, "", []string{"per_session", "wall_clock_hour"}, false},
		{BilledFrom, GroupPay, KindChoice, "", []string{"order", "boot", "running"}, false},
		{Balance, GroupPay, KindMoney, "", nil, false},
		{Tax, GroupPay, KindShare, "", nil, false},
		{Discount, GroupPay, KindShare, "", nil, false},
		{Coupon, GroupPay, KindMoney, "", nil, false},
		{PackageElapsed, GroupPay, KindNumber, "h", nil, false},
		{YearMonths, GroupPay, KindCount, "", nil, false},
		{RenewFactor, GroupPay, KindShare, "", nil, false},
		{StopCompute, GroupStop, KindFlag, "", nil, true},
		{StopSystemDisk, GroupStop, KindFlag, "", nil, true},
		{StopDataDisk, GroupStop, KindFlag, "", nil, true},
		{StopIP, GroupStop, KindFlag, "", nil, true},
		{StopBandwidth, GroupStop, KindFlag, "", nil, true},
		{StopDiskPrice, GroupStop, KindMoney, m, nil, false},
		{StopKeepsGPU, GroupStop, KindFlag, "", nil, false},
		{GuestShutdown, GroupStop, KindFlag, "", nil, false},
		{ReleaseAfter, GroupStop, KindNumber, "h", nil, true},
		{WipeAfter, GroupStop, KindNumber, "h", nil, false},
		{IdleReclaim, GroupStop, KindNumber, "min", nil, true},
		{SystemDisk, GroupDisk, KindNumber, "GB", nil, true},
		{SystemDiskFree, GroupDisk, KindNumber, "GB", nil, false},
		{SystemDiskPrice, GroupDisk, KindMoney, m, nil, false},
		{DataDisk, GroupDisk, KindNumber, "GB", nil, false},
		{DataDiskFree, GroupDisk, KindNumber, "GB", nil, false},
		{DataDiskDay, GroupDisk, KindMoney, "GB·day", nil, true},
		{DataDiskMonth, GroupDisk, KindMoney, m, nil, true},
		{MonthHours, GroupDisk, KindChoice, "", []string{"calendar", "fixed_720h", "fixed_730h"}, false},
		{Snapshot, GroupDisk, KindNumber, "GB", nil, false},
		{SnapshotFree, GroupDisk, KindNumber, "GB", nil, false},
		{SnapshotPrice, GroupDisk, KindMoney, m, nil, true},
		{SystemImage, GroupDisk, KindNumber, "GB", nil, false},
		{ImageFree, GroupDisk, KindNumber, "GB", nil, false},
		{ImagePrice, GroupDisk, KindMoney, m, nil, true},
		{Bandwidth, GroupNetwork, KindNumber, "Mbps", nil, true},
		{BandwidthPrice, GroupNetwork, KindMoney, "month", nil, false},
		{Traffic, GroupNetwork, KindMoney, "GB", nil, false},
		{TrafficFree, GroupNetwork, KindNumber, "GB", nil, false},
		{TrafficPack, GroupNetwork, KindNumber, "GB", nil, true},
		{TrafficPackCost, GroupNetwork, KindMoney, "", nil, false},
		{CrossRegion, GroupNetwork, KindMoney, "GB", nil, true},
		{PrivateNet, GroupNetwork, KindFlag, "", nil, true},
		{IPPrice, GroupNetwork, KindMoney, "h", nil, false},
		{Root, GroupRights, KindFlag, "", nil, true},
		{OwnDriver, GroupRights, KindFlag, "", nil, true},
		{KernelModules, GroupRights, KindFlag, "", nil, false},
		{Docker, GroupRights, KindFlag, "", nil, true},
		{Interruption, GroupInterrupt, KindChoice, "", []string{"none", "spot", "reclaim"}, true},
		{Notice, GroupInterrupt, KindNumber, "s", nil, false},
		{InterruptRate, GroupInterrupt, KindNumber, "1/h", nil, false},
		{InterruptSeen, GroupInterrupt, KindCount, "", nil, false},
		{Watched, GroupInterrupt, KindNumber, "h", nil, false},
		{MaxLife, GroupInterrupt, KindNumber, "h", nil, false},
		{Downtime, GroupInterrupt, KindNumber, "h", nil, false},
		{Maintenance, GroupInterrupt, KindNumber, "h", nil, true},
		{CPUCores, GroupMachine, KindNumber, "", nil, true},
		{RAM, GroupMachine, KindNumber, "GB", nil, true},
		{DiskSpeed, GroupMachine, KindNumber, "MB/s", nil, true},
		{Refund, GroupRefund, KindChoice, "", []string{"none", "unused_days", "full_months", "credit"}, false},
		{RefundLoss, GroupRefund, KindShare, "", nil, false},
		{QueueWait, GroupWait, KindNumber, "s", nil, false},
		{BootWait, GroupWait, KindNumber, "s", nil, false},
		{PullWait, GroupWait, KindNumber, "s", nil, false},
		{LoadWait, GroupWait, KindNumber, "s", nil, false},
		{NoCardShare, GroupWait, KindShare, "", nil, false},
		{FirstPicture, GroupWait, KindNumber, "s", nil, false},
	}
}
