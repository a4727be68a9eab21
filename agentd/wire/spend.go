package wire

import "time"

// The changes of power that let the team use more, or something that costs money.
const (
	ChangeOverage ChangeKind = "overage"     // body: OverageBody
	ChangeBudget  ChangeKind = "budget"      // body: BudgetBody
	ChangeModel   ChangeKind = "agent.model" // body: ModelBody
)

// OverageBody is what is signed so that the team works on, for money, when the pool is empty.
type OverageBody struct {
	On bool `json:"on"`
}

// BudgetBody is what is signed to raise a day's budget, or to do without one.
type BudgetBody struct {
	Agent  string `json:"agent"`  // empty: all agents together
	Tokens int64  `json:"tokens"` // a day; 0: no budget
}

// ModelBody is what is signed to let an agent use a model that costs extra.
type ModelBody struct {
	Agent string `json:"agent"`
	Model string `json:"model"`
}

// Spend is what the team may use of models. Tokens are those of calls with the operator's key.
type Spend struct {
	Pool   *Pool     `json:"pool,omitempty"`   // of the billing period; nil: none is counted
	Beyond bool      `json:"beyond,omitempty"` // the owner lets the team work on, for money, when the pool is empty
	Day    int64     `json:"day,omitempty"`    // tokens a day of all agents together; 0: no budget
	Paused PauseWhy  `json:"paused,omitempty"` // why the hub lets the team rest; empty: it does not
	Models ModelMenu `json:"models"`

	PausedSince time.Time `json:"paused_since,omitzero"` // where that is told
}

// Pool is the allotment of one billing period.
type Pool struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Tokens  int64     `json:"tokens"`
	Weights Weights   `json:"weights"`
}

// Weights are how much of the pool a token of each kind draws, in thousandths; all zero: 1,000 each.
type Weights struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// PauseWhy says why a team is paused. Its agents keep what was set for them, and work on as soon as the reason is gone.
type PauseWhy string

// The reasons of a pause.
const (
	PausedPayment PauseWhy = "payment" // an invoice was not paid within its grace
	PausedEnded   PauseWhy = "ended"   // the plan has ended; the server is kept for a while
)

// The presets: what an agent's Model may be besides the name of a premium model. Empty is Balanced.
const (
	PresetBasic    = "basic"
	PresetBalanced = "balanced"
	PresetComplex  = "complex"
)

// ModelMenu is what the operator offers: the model behind each preset, and the models that cost extra.
type ModelMenu struct {
	Presets map[string]string `json:"presets,omitempty"` // model by preset; one that is missing is the server's own model
	Premium []string          `json:"premium,omitempty"` // never from the pool
}
