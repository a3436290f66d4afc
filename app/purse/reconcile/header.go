package reconcile

import (
	"regexp"
	"slices"
	"strings"
)

// field is what a column holds.
type field int

const (
	none field = iota
	fieldFrom
	fieldTo
	fieldMoment // of a settlement, or a day
	fieldSpan   // both ends in one cell
	fieldInstance
	fieldAmount
	fieldCurrency
	fieldItem
	fieldQuantity
	fieldUnit
	fieldPrice
	fields
)

// words are the headings by field, the better ones first; without blanks, signs
// and what stands in brackets.
var words = [fields][]string{
	fieldFrom: {
		"开始时间", "计费开始时间", "使用开始时间", "起始时间", "开始使用时间", "扣费开始时间", "账单开始时间", "开机时间", "开始",
		"starttime", "start", "startedat", "started", "usagestart", "usagestarttime", "usagestartdate", "billingstart", "from", "begin", "begintime",
	},
	fieldTo: {
		"结束时间", "计费结束时间", "使用结束时间", "终止时间", "结束使用时间", "扣费结束时间", "账单结束时间", "关机时间", "结束",
		"endtime", "end", "endedat", "ended", "usageend", "usageendtime", "usageenddate", "billingend", "to", "until", "stop", "stoptime",
	},
	fieldMoment: {
		"扣费时间", "交易时间", "账单时间", "出账时间", "消费时间", "支付时间", "账单日期", "日期", "时间",
		"time", "date", "timestamp", "chargedat", "billingdate", "billedat", "createdat", "created", "day",
	},
	fieldSpan: {"计费周期", "账单周期", "使用时间段", "计费时段", "起止时间", "billingperiod", "period", "usageperiod"},
	fieldInstance: {
		"实例id", "实例名称", "实例", "资源id", "资源名称", "容器id", "容器名称", "机器id", "机器",
		"instanceid", "instance", "instancename", "podid", "podname", "pod", "resourceid", "resourcename", "resource", "machineid", "machine", "contractid",
	},
	fieldAmount: {
		"实付金额", "优惠后总价", "应付金额", "支付金额", "扣费金额", "消费金额", "结算金额", "金额", "费用", "总费用", "总价", "扣费", "消费",
		"amountdue", "netamount", "amount", "totalamount", "totalcost", "cost", "total", "charge", "charges", "amountcharged", "spend",
	},
	fieldCurrency: {"币种", "货币", "结算币种", "currency", "currencycode"},
	fieldItem: {
		"计费项", "费用类型", "组件类型", "计费类型", "扣费类型", "交易类型", "账单类型", "子产品名称", "产品名称", "产品", "商品", "项目", "类型", "资源类型", "备注",
		"item", "type", "itemtype", "lineitem", "description", "category", "product", "productname", "resourcetype", "usagetype", "service", "gputype", "note",
	},
	fieldQuantity: {
		"计费时长", "使用时长", "运行时长", "时长", "使用量", "用量", "数量",
		"duration", "billedduration", "runtime", "usage", "usagequantity", "quantity", "hours", "seconds", "minutes", "billedseconds", "timebilled", "gpuhours",
	},
	fieldUnit:  {"用量单位", "单位", "时长单位", "unit", "usageunit"},
	fieldPrice: {"单价", "时价", "小时单价", "目录价", "unitprice", "rate", "hourlyrate", "priceperhour", "price", "costperhr"},
}

var (
	bracket = regexp.MustCompile(`[（(\[【][^）)\]】]*[）)\]】]`)
	signs   = regexp.MustCompile(`[\s_\-./:：*#"'“”]+`)
)

// plainHeading is a heading as words holds it, and what stood in its brackets.
func plainHeading(h string) (word, unit string) {
	if m := bracket.FindString(h); m != "" {
		unit = strings.TrimFunc(m, func(r rune) bool { return strings.ContainsRune("（(【[）)】]", r) })
		h = strings.Replace(h, m, "", 1)
	}
	h = strings.ToLower(h)
	word = signs.ReplaceAllString(h, "")
	// "duration_seconds", "amount_usd": the unit stands at the end.
	for _, u := range []string{"seconds", "minutes", "hours", "usd", "cny", "eur", "rmb", "secs", "hrs"} {
		if rest, ok := strings.CutSuffix(word, u); ok && rest != "" && unit == "" && fieldOf(rest) != none {
			return rest, u
		}
	}
	if unit == "" && (word == "hours" || word == "seconds" || word == "minutes" || word == "gpuhours" || word == "billedseconds") {
		unit = strings.TrimPrefix(strings.TrimPrefix(word, "billed"), "gpu")
	}
	return word, unit
}

func fieldOf(word string) field {
	for f := fieldFrom; f < fields; f++ {
		if slices.Contains(words[f], word) {
			return f
		}
	}
	return none
}

// column is where a field stands.
type column struct {
	at    int // -1: nowhere
	name  string
	unit  string // of its heading
	worth int    // place among the words: the less, the better
}

// heading finds the columns of a row of headings; ok is false where it is none:
// there must be an amount and a time.
func heading(cells []string) (cols [fields]column, ok bool) {
	for f := range cols {
		cols[f].at = -1
	}
	for i, c := range cells {
		word, unit := plainHeading(c)
		f := fieldOf(word)
		if f == none {
			continue
		}
		worth := slices.Index(words[f], word)
		if cols[f].at < 0 || worth < cols[f].worth {
			cols[f] = column{i, c, unit, worth}
		}
	}
	timed := cols[fieldFrom].at >= 0 || cols[fieldTo].at >= 0 || cols[fieldMoment].at >= 0 || cols[fieldSpan].at >= 0
	return cols, timed && cols[fieldAmount].at >= 0
}

// known is a list of headings for who has none of them.
func known(lang string) string {
	if lang == "zh" {
		return "开始时间, 结束时间, 实例ID, 计费项, 时长, 金额, 币种"
	}
	return "start, end, instance, item, duration, amount, currency"
}
