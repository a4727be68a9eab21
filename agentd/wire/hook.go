package wire

import (
	"regexp"
	"time"
)

// The methods about hooks, since version 6: addresses to which programs outside send something that has an agent work. Params →
// result. What lets more come in is signed (HookDo.Signed).
const (
	MethodHooksList      Method = "hooks.list"      // HooksParams → HooksResult
	MethodHookGet        Method = "hook.get"        // HookParams → Hook; also after it was deleted
	MethodHookDeliveries Method = "hook.deliveries" // HookDeliveriesParams → HookDeliveries
	MethodHookChange     Method = "hook.change"     // HookChange → Hook as it stands then; a repeat gives what is there
	MethodHookDeliver    Method = "hook.deliver"    // HookDelivery → HookAnswer: what somebody outside has sent
)

// HookProof is how a sender shows who it is.
type HookProof string

// The proofs.
const (
	HookToken  HookProof = "token"  // Authorization: Bearer <secret>
	HookSigned HookProof = "signed" // HMAC-SHA-256 over time and body; how senders write it is in agentd/hook/proof
	// HookBody is HMAC-SHA-256 over the body alone, as GitHub and Gitea send it. The same bytes are taken once for HookSeen.
	HookBody HookProof = "body"
)

// The names of hooks that are more than a name.
const (
	HookWake  = "wake"  // goes on in one conversation instead of beginning afresh each time
	HookAgent = "agent" // the sender names the agent: {"agent", "message"}
)

// HookState is where a hook stands.
type HookState string

// The states.
const (
	HookActive  HookState = "active"
	HookPaused  HookState = "paused" // what comes is refused
	HookDeleted HookState = "deleted"
)

// Bounds of hooks.
const (
	MaxHooks         = 50
	MaxHookTask      = 2000             // characters
	MaxHookBody      = 64 << 10         // bytes that a sender may send
	MaxHookPerMinute = 60               // deliveries that the owner may let a hook take
	MaxHookOpen      = 20               // runs of one hook that have not ended
	HookClock        = 5 * time.Minute  // how far the time of a signature may be off
	HookSame         = 10 * time.Minute // so long the same bytes without an id of their own are a repeat
	HookSeen         = 90 * 24 * time.Hour
	MinHookSecret    = 16 // characters
)

var hookName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`)

// HookNamed says whether a text can be the name of a hook: it is part of an address.
func HookNamed(name string) bool { return hookName.MatchString(name) }

// HookSecretName is the name under which the vault keeps the key of a hook whose sender signs.
func HookSecretName(name string) string { return "hook." + name }

// Hook is one hook as pages show it.
type Hook struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Agent     string        `json:"agent"` // empty with HookAgent
	Task      string        `json:"task"`
	Proof     HookProof     `json:"proof"`
	State     HookState     `json:"state"`
	PerMinute int           `json:"per_minute"`
	Level     int           `json:"level"`   // its runs stand no higher
	Session   string        `json:"session"` // the conversation of its runs
	Last      *HookReceived `json:"last,omitempty"`
	Version   int64         `json:"version"` // counts changes
	By        DecidedBy     `json:"by"`      // who made it
	Created   time.Time     `json:"created_at"`
	Updated   time.Time     `json:"updated_at"`
	Renewed   time.Time     `json:"renewed_at"` // when its secret was set last
}

// HooksParams asks for the hooks, by name. There are at most MaxHooks.
type HooksParams struct{}

// HooksResult are the hooks of a server, without deleted ones.
type HooksResult struct {
	Items []Hook `json:"items"`
}

// HookParams names a hook.
type HookParams struct {
	ID string `json:"id"`
}

// HookDeliveriesParams asks for one page of what came, newest first.
type HookDeliveriesParams struct {
	ID    string `json:"id"`
	After string `json:"after,omitempty"`
	Limit int    `json:"limit"` // 1 to 200; 0 means 50
}

// HookDeliveries is one page of what came.
type HookDeliveries struct {
	Items []HookReceived `json:"items"`
	Next  string         `json:"next"`
}

// HookVerdict is what became of something that came.
type HookVerdict string

// The verdicts.
const (
	HookAccepted HookVerdict = "accepted" // an agent works on it
	HookRefused  HookVerdict = "refused"  // Reason says why
	HookRepeated HookVerdict = "repeated" // it was there already; RunID is that of the first
	HookTooMany  HookVerdict = "too_many"
)

// HookReceived is something that came, or several of the same kind within a minute. Its content is with its run alone.
type HookReceived struct {
	At      time.Time   `json:"at"` // the newest
	Verdict HookVerdict `json:"verdict"`
	Reason  string      `json:"reason"` // in words for people
	RunID   string      `json:"run_id,omitempty"`
	Count   int         `json:"count"`
	Size    int         `json:"size"` // bytes, of the newest
}

// ChangeHook is a change of a hook by a person; body: HookAct.
const ChangeHook ChangeKind = "hook"

// HookDo is what a person does with a hook.
type HookDo string

// What is done with hooks.
const (
	HookDoMake   HookDo = "make"
	HookDoEdit   HookDo = "edit"   // agent, task and rate
	HookDoRenew  HookDo = "renew"  // another secret; the one before counts no more
	HookDoResume HookDo = "resume" // after a pause
	HookDoPause  HookDo = "pause"
	HookDoDelete HookDo = "delete"
)

// Signed says whether a person signs for it.
func (d HookDo) Signed() bool { return d != HookDoPause && d != HookDoDelete }

// HookAct is what is signed: everything that decides what happens.
type HookAct struct {
	ID         string    `json:"id"` // UUIDv7: names the act, which happens once; of a new hook also its id
	Do         HookDo    `json:"do"`
	Hook       string    `json:"hook"` // its id; empty for a new one
	Name       string    `json:"name"`
	Agent      string    `json:"agent"`
	Task       string    `json:"task"`
	Proof      HookProof `json:"proof"`
	PerMinute  int       `json:"per_minute"`
	SecretHash string    `json:"secret_hash"` // make and renew: hex SHA-256 of the secret
	Version    int64     `json:"version"`     // of the hook as the person saw it: another one is refused. 0 for a new one
}

// HookChange asks for an act. The key of a sender that signs travels in Box, sealed for MethodHookChange and HookSecretName; a
// bearer token does not travel at all.
type HookChange struct {
	Act       HookAct    `json:"act"`
	Signature *Signature `json:"signature"`
	Nonce     string     `json:"nonce,omitempty"`
	Box       SecretBox  `json:"box,omitempty"`
	By        DecidedBy  `json:"by"`
}

// HookDelivery is what somebody outside has sent.
type HookDelivery struct {
	Name    string            `json:"name"`
	Headers map[string]string `json:"headers"` // those of HookHeaders that came, by their lower-case names
	Body    []byte            `json:"body"`
	Size    int               `json:"size"` // of the body as it was sent; a longer one than MaxHookBody comes without it
}

// HookHeaders are the headers of a request that say who sends what, in lower case. No other leaves the place where it came.
var HookHeaders = []string{
	"authorization", "content-type", "idempotency-key",
	"webhook-id", "webhook-timestamp", "webhook-signature", // standardwebhooks.com
	"x-gatehouse-signature", "stripe-signature", "x-signature", // t=<Unix seconds>,v1=<hex>
	"x-hub-signature-256", "x-gitea-signature", "x-cal-signature-256", // over the body alone
	"x-github-delivery", "x-gitea-delivery",
}

// HookAnswer is what the sender is told.
type HookAnswer struct {
	Verdict    HookVerdict `json:"verdict"`
	Status     int         `json:"status"` // of HTTP
	Reason     string      `json:"reason"`
	RunID      string      `json:"run_id,omitempty"`
	RetryAfter int         `json:"retry_after,omitempty"` // seconds, with too_many
}
