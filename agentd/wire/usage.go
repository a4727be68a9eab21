package wire

import "time"

// Whose key paid for what was used.
const (
	KeyHouse = "house" // the operator's
	KeyOwn   = "own"   // the customer's own
	KeyLocal = "local" // nobody's: a model on the server itself, or the rehearsal
)

// UsageRow is what one agent used of one model in one hour, as a meter on the server counted it. Its counts only grow. Of two
// rows that differ in nothing but revision and counts, the one with the larger revision is the valid one.
type UsageRow struct {
	Epoch    string    `json:"epoch"` // a life of the meter; rows of different lives add up
	Hour     time.Time `json:"hour"`  // its beginning, UTC
	Agent    string    `json:"agent"`
	Parent   string    `json:"parent,omitempty"` // the agent for which a sub-agent worked
	Model    string    `json:"model"`
	Profile  string    `json:"profile"` // name of the account at the provider
	Key      string    `json:"key"`     // KeyHouse, KeyOwn or KeyLocal
	Revision int64     `json:"revision"`
	UsageCounts
}

// UsageCounts are sums. Each token is counted once among Input, Output, CacheRead and CacheWrite. EstInput and EstOutput are
// the part of Input and Output that was estimated.
type UsageCounts struct {
	Requests   int64 `json:"requests"`
	Estimated  int64 `json:"estimated,omitempty"` // requests, among Requests, whose tokens were estimated at least in part
	Input      int64 `json:"input"`               // without what the cache gave or took
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	EstInput   int64 `json:"est_input,omitempty"`  // part of Input
	EstOutput  int64 `json:"est_output,omitempty"` // part of Output
	Searches   int64 `json:"searches,omitempty"`
	Fetches    int64 `json:"fetches,omitempty"`
}

// MaxUsageRows is how many rows a report has at most.
const MaxUsageRows = 500

// UsageReport tells the hub which rows have changed. The same row may come again, and in any order.
type UsageReport struct {
	Rows []UsageRow `json:"rows"` // 1 to MaxUsageRows, no two of one key
}

// MethodUsageSums asks what the meters of a server counted. UsageSumsParams → UsageSums.
const MethodUsageSums Method = "usage.sums"

// UsageSumsParams names whole days, UTC: From is one of them, To none anymore.
type UsageSumsParams struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// UsageSums are the sums of each day and epoch.
type UsageSums struct {
	Items   []UsageSum `json:"items"`
	Waiting bool       `json:"waiting"` // not all of it has arrived at the hub yet
}

// UsageSum is what a meter counted in one epoch on one day.
type UsageSum struct {
	Epoch string    `json:"epoch"`
	Day   time.Time `json:"day"` // its beginning, UTC
	UsageCounts
}

// MethodUsageAgain asks for rows of whole days once more, since version 6: the hub lacks what it had acknowledged, because its database
// is an older copy. UsageAgainParams → UsageAgain.
const MethodUsageAgain Method = "usage.again"

// UsageAgainParams names the days by their beginnings, UTC: 1 to MaxUsageDays.
type UsageAgainParams struct {
	Days []time.Time `json:"days"`
}

// MaxUsageDays is how many days are asked for at once.
const MaxUsageDays = 40

// UsageAgain says how many rows are on their way, as reports. They have their revisions: what the hub has already changes nothing.
type UsageAgain struct {
	Rows int `json:"rows"`
}

// RunUse is what one agent used of one model in an hour, for one root run.
type RunUse struct {
	Hour  time.Time `json:"hour"`
	Agent string    `json:"agent"`
	Model string    `json:"model"`
	Key   string    `json:"paid_by"` // KeyHouse, KeyOwn or KeyLocal
	UsageCounts
}
