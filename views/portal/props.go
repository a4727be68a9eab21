package portal

import (
	"net/url"
	"time"

	"gatehouse/views/inbox"
	"gatehouse/views/ui"
)

// HomeProps is what needs the reader and what was really done.
type HomeProps struct {
	Needs       []inbox.NeedProps
	Waiting     int // approvals and credentials that it waits for, shown or not
	Secrets     []NeedSecretProps
	MoreSecrets int // that are not shown
	Agents      []AgentProps
	Acts        []ActProps
	Server      HealthProps
	Away        bool
	Setup       bool // the server is still being set up
}

// NeedSecretProps is a call that waits for a secret, as one line: it leads to the card in the conversation.
type NeedSecretProps struct {
	ID, Run string
	Agent   ui.Agent
	Name    string // of the secret
	Expires time.Time
}

// ActProps is one run in a list.
type ActProps struct {
	Run, Root, Session string
	Agent              ui.Agent
	Task               string
	State              string
	Verdict            string
	Worst              string // highest tier of its calls
	Calls              int
	Channel            string
	At                 time.Time
	Took               time.Duration // 0 while open
}

// AgentProps is one agent of the team.
type AgentProps struct {
	Agent      ui.Agent
	About      string
	Level      int
	Inherited  bool // the level is the team's
	Off        bool
	Tools      []ToolProps
	Unlocked   []string // outward tools that need no approval
	Calls      int      // of the last seven days
	LastActive time.Time
	Starters   []string
	Asks       int // approvals and credentials that it waits for
}

// ToolProps is one tool as an agent sees it.
type ToolProps struct {
	Name, Doc string
	Outward   bool
	Unlocked  bool
	Visible   bool
	Why       string
}

// HealthProps is the server as its last heartbeat told.
type HealthProps struct {
	ID, State           string
	Away                bool
	Known               bool // a heartbeat came
	BeatAt, Since       time.Time
	Agentd              string
	Uptime              int64 // seconds
	Config              int64
	Load                float64
	Cores               int
	MemUsed, MemTotal   int64 // bytes
	DiskUsed, DiskTotal int64 // bytes
	Runs, Pending       int
	Model               string
	Rehearsal           bool
	Protection          []string
	ShellOff            string
}

// SealKeyProps is the key that values are sealed for. The fingerprint is empty when it could not be read.
type SealKeyProps struct {
	Fingerprint string
	MadeAt      time.Time
}

// ChatProps is one conversation.
type ChatProps struct {
	Title    string
	Agent    ui.Agent
	Member   AgentProps // what the agent may do; empty while the server is away
	Thread   ui.Thread
	Composer ui.Composer
	Starters []string
	Fresh    bool // nothing was said yet
	Works    bool // something happens by itself: a browser without scripts looks again
	Away     bool // the conversation could not be read
}

// OlderProps is a slice of earlier turns.
type OlderProps struct {
	Turns []ui.Turn
	Older string
}

// TalksProps is the list of conversations.
type TalksProps struct {
	Q, After, Next string
	Away           bool
	Rows           []TalkProps
}

// TalkProps is one conversation in a list.
type TalkProps struct {
	ID, Title string
	Agent     ui.Agent
	Last      string
	State     string
	Verdict   string
	At        time.Time
	Turns     int
}

// Choice is one value of a filter.
type Choice struct{ Value, Label string }

// ActivityProps is the feed.
type ActivityProps struct {
	Q, Agent, Tier, Tool, After, Next string
	Agents                            []Choice
	Acts                              []ActProps
	Away                              bool
}

// Query is what narrows the feed.
func (p ActivityProps) Query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"q": p.Q, "agent": p.Agent, "tier": p.Tier, "tool": p.Tool} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// RunProps is one run with its evidence.
type RunProps struct {
	Act      ActProps
	Detail   string // why it failed
	Tree     []ui.Node
	Claims   []ui.Claim
	Receipts []ui.Receipt
	Verified bool
	Problem  string
	Tokens   int64
	Model    string
	HandOffs int
}

// Open says whether the run will still do something.
func (p RunProps) Open() bool { return ui.RunOpen(p.Act.State) }

// SyncProps says whether the server runs what is set.
type SyncProps struct {
	Version int64
	Server  string // id, part of what is signed
	Next    int64  // number of the version that a change makes: rises of power are signed for it
	Waiting bool
	Error   string
	At      time.Time
}

// AgentsProps is the team.
type AgentsProps struct {
	Agents  []AgentProps
	Level   int
	Sync    SyncProps
	Away    bool
	Problem string
}

// AgentPageProps is one agent.
type AgentPageProps struct {
	Agent   AgentProps
	Default int
	Acts    []ActProps
	Unread  bool // what it did could not be read
	Sync    SyncProps
	Away    bool // the team could not be read
}

// AutonomyProps is how much one agent may do alone.
type AutonomyProps struct {
	Agent   AgentProps
	Default int
	Matrix  []MatrixRow
	Sync    SyncProps
	Problem string
}

// MatrixRow is what levels 1 to 3 do with a tier: allow, ask or deny.
type MatrixRow struct {
	Tier    string
	Effects []string
}

// ExternalProps is what one agent may send outside.
type ExternalProps struct {
	Agent AgentProps
	Sync  SyncProps
	Away  bool
}

// Outward are the tools that can reach people outside.
func (p ExternalProps) Outward() []ToolProps {
	var out []ToolProps
	for _, t := range p.Agent.Tools {
		if t.Outward && t.Visible {
			out = append(out, t)
		}
	}
	return out
}

// SettingsProps is one's own settings.
type SettingsProps struct {
	Email, Name, Business, Role string
	Zone                        string
	SignOutAll                  string
	Tokens                      []TokenProps
	TokenName                   string
	Secret                      string // a token that was just made; shown once
	Problems                    map[string]string
}

// TokenProps is one API token.
type TokenProps struct {
	ID, Name, Hint         string
	Created, Used, Expires time.Time
}
