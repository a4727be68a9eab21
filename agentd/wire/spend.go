package wire

import "time"

// The changes of power that let the team use more, or something that costs money.
const (
	ChangeOverage ChangeKind = "overage"     // body: OverageBody
	ChangeBudget  ChangeKind = "budget"      // body: BudgetBody
	ChangeModel   ChangeKind = "agent.model" // body: ModelBody

	ChangeEmbeddings ChangeKind = "memory.embeddings" // body: EmbeddingsBody
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

// EmbeddingsBody is what is signed to let a model have the texts of notes and of what is searched.
type EmbeddingsBody struct {
	Model string `json:"model"`
}

// Spend is what the team may use of models. Tokens are those of calls with the operator's key.
type Spend struct {
	Pool   *Pool     `json:"pool,omitempty"`   // of the billing period; nil: none is counted
	Beyond bool      `json:"beyond,omitempty"` // the owner lets the team work on, for money, when the pool is empty
	Day    int64     `json:"day,omitempty"`    // tokens a day of all agents together; 0: no budget
	Paused PauseWhy  `json:"paused,omitempty"` // why the hub lets the team rest; empty: it does not
	Models ModelMenu `json:"models"`

	// Embeddings is the model that says what notes and questions mean, and gets their texts for that; empty: none. Since version 6.
	Embeddings string `json:"embeddings,omitempty"`

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

// AgentPause says that a budget keeps an agent from working until it begins anew or is raised. It is neither off nor switched: what the
// owner has set for it stays as it is.
type AgentPause struct {
	Agent  string    `json:"agent"`
	Budget string    `json:"budget"` // BudgetPool, BudgetTeam or BudgetAgent
	Limit  int64     `json:"limit"`  // tokens
	Used   int64     `json:"used"`
	Until  time.Time `json:"until"` // when the budget begins anew
}

// The budgets that pause agents.
const (
	BudgetPool  = "pool"  // of the billing period, where the owner lets nobody work beyond it
	BudgetTeam  = "team"  // of a day, of all agents together
	BudgetAgent = "agent" // of a day, of one agent
)

// Words say what paused the agent.
func (p AgentPause) Words() string {
	switch p.Budget {
	case BudgetPool:
		return "Paused by budget: the tokens of this month are used up."
	case BudgetTeam:
		return "Paused by budget: the team's tokens of this day are used up."
	}
	return "Paused by budget: the agent's tokens of this day are used up."
}

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

	Embeddings string `json:"embeddings,omitempty"` // a model that says what texts mean; empty: none is offered
}
