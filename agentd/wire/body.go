package wire

import "time"

// Heartbeat tells that a server lives and how it is, every 30 s.
type Heartbeat struct {
	Time          time.Time `json:"time"`
	UptimeS       int64     `json:"uptime_s"`
	AgentdVersion string    `json:"agentd_version"`
	ConfigVersion int64     `json:"config_version"`
	LoadOne       float64   `json:"load_1"`
	Cores         int       `json:"cores"`
	MemTotal      int64     `json:"mem_total"` // bytes
	MemFree       int64     `json:"mem_free"`  // bytes available
	DiskTotal     int64     `json:"disk_total"`
	DiskFree      int64     `json:"disk_free"`
	RunsActive    int       `json:"runs_active"`
	Pending       int       `json:"pending"`    // approvals that wait
	Model         string    `json:"model"`      // "rehearsal" or the model's name
	Rehearsal     bool      `json:"rehearsal"`  // true: pages label the team as rehearsal
	Protection    []string  `json:"protection"` // what holds on this machine, from doctor: "tools run as another user", …
	ShellOff      string    `json:"shell_off"`  // why the shell tool is off, or empty

	// Since version 3. What an older server does not say, or a machine does not let agentd see, is nil.
	CPU        *float64    `json:"cpu,omitempty"`     // busy share of all cores since the heartbeat before, 0 to 1
	NetIn      *int64      `json:"net_in,omitempty"`  // bytes a second since then, of all interfaces except loopback
	NetOut     *int64      `json:"net_out,omitempty"` // likewise
	Containers *Containers `json:"containers,omitempty"`

	// Since version 4. All that was used until then has arrived at the hub; nil where the meters could not be read yet.
	UsageAt *time.Time `json:"usage_at,omitempty"`

	// Since version 6. The agents that a budget keeps from working.
	Paused []AgentPause `json:"paused,omitempty"`
}

// Containers counts the containers of a server.
type Containers struct {
	Running int `json:"running"`
	Total   int `json:"total"`
}

// ChatMessage is a message of a person to an agent. Origin is set by the hub from the signed-in session.
type ChatMessage struct {
	RunID     string    `json:"run_id"` // minted by the hub: the root run that will answer; a repeat is a no-op
	SessionID string    `json:"session_id"`
	Agent     string    `json:"agent"`
	Text      string    `json:"text"`
	Files     []string  `json:"files,omitempty"` // paths beneath the data folder, at most MaxFiles; an older server reads the text alone
	Time      time.Time `json:"time"`
	From      Origin    `json:"from"`
}

// MaxFiles is how many files a message can have with it, and how many an answer offers.
const MaxFiles = 20

// Origin says who a message or change comes from.
type Origin struct {
	UserID  string `json:"user_id"`
	Email   string `json:"email"`
	Channel string `json:"channel"` // portal, api, schedule, operator
	Address string `json:"address"`

	// Role is that of the user in the business, as the hub knows it; empty: not told. Since version 6.
	Role string `json:"role,omitempty"`

	// Report says that nobody wrote the turn: it tells of sub-agents that this origin stands behind. Only the runtime says so.
	// Since version 6.
	Report bool `json:"report,omitempty"`

	// Rule names the rule on events that began the work this origin stands behind. Only the runtime says so. Since version 6.
	Rule string `json:"rule,omitempty"`

	// Owner says that every word of a message that came by a messaging channel is the owner's, for sure. Only agentd says so.
	Owner bool `json:"owner,omitempty"`

	// Known says that a message which came by a messaging channel is from somebody whom the owner has let write, by name. Only agentd
	// says so; without it the sender is a stranger.
	Known bool `json:"known,omitempty"`
}

// Stranger says whether nobody has confirmed the person who stands behind a message of a messaging channel.
func (o Origin) Stranger() bool { return IsMessaging(o.Channel) && !o.Known && !o.Owner }

// RunCancel stops the tree of a run: all that was delegated in it, and the sub-agents that it began.
type RunCancel struct {
	RunID string `json:"run_id"` // any run of the tree
	By    Origin `json:"by"`

	// Alone stops only this run, with what it handed on: those above it and beside it go on. Since version 6.
	Alone bool `json:"alone,omitempty"`
}

// Config is what the owner has set. agentd applies a version only if it is higher than its own.
type Config struct {
	Version      int64                  `json:"version"`
	DefaultLevel int                    `json:"default_level"`    // 1, 2 or 3
	TimeZone     string                 `json:"time_zone"`        // IANA name
	Business     string                 `json:"business"`         // name of the business
	Inside       []string               `json:"inside"`           // verified addresses of the customer's own users, and Added
	Added        []string               `json:"added,omitempty"`  // those of Inside that the owner added, each signed for
	Agents       map[string]AgentConfig `json:"agents"`           // by agent id
	By           Origin                 `json:"by"`               // who made this version
	Signed       []SignedChange         `json:"signed,omitempty"` // what it raises above the versions before
	Spend        Spend                  `json:"spend"`            // an older server ignores it
	Chats        Chats                  `json:"chats,omitzero"`
	Tools        ToolLimits             `json:"tools,omitzero"` // since version 6
}

// AgentConfig is what the owner has set for one agent.
type AgentConfig struct {
	Level    int      `json:"level"`    // 0: the server's default
	Unlocked []string `json:"unlocked"` // tools whose outward calls need no approval
	Off      bool     `json:"off"`
	Model    string   `json:"model,omitempty"` // a preset or a premium model; empty: PresetBalanced
	Day      int64    `json:"day,omitempty"`   // tokens a day; 0: no budget of its own

	// Asks are the colleagues that it may hand tasks to, sorted; nil: none. The dispatcher may hand to all. Since version 6.
	Asks []string `json:"asks,omitempty"`

	// Sandboxed says that it sees only tools that stay in the sandbox: no network, no people, no colleagues. Since version 6.
	Sandboxed bool `json:"sandboxed,omitempty"`
}

// ConfigState reports the version that a server runs.
type ConfigState struct {
	Version int64  `json:"version"`
	Error   string `json:"error,omitempty"`   // why a pushed version was refused, in words for people
	Partial bool   `json:"partial,omitempty"` // an older program kept it and may have dropped parts: the hub makes a new version
}

// Alert is something that a person should know about a server.
type Alert struct {
	Kind     string    `json:"kind"`     // disk_full, receipts_broken, …
	Severity string    `json:"severity"` // soft, medium, hard
	Text     string    `json:"text"`     // no contents
	Time     time.Time `json:"time"`
}

// RegisterRequest is the body of POST /api/v1/tenant/register.
type RegisterRequest struct {
	Token         string `json:"token"`      // one-time, 24 h
	PublicKey     string `json:"public_key"` // Ed25519, base64url: signs challenges and checkpoints
	SealKey       string `json:"seal_key"`   // X25519, base64url: bodies are sealed to it
	AgentdVersion string `json:"agentd_version"`
}

// RegisterResponse is the answer to a RegisterRequest.
type RegisterResponse struct {
	ServerID string `json:"server_id"`
	Hub      string `json:"hub"`      // the hub's public origin, part of every link signature
	LinkURL  string `json:"link_url"` // ws:// or wss://
	Config   Config `json:"config"`

	CommandKey string `json:"command_key,omitempty"` // as in Welcome; pinned from the start
}
