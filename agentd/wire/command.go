package wire

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The methods by which the hub has agentd do something about itself or the containers of the machine; since version 3.
const (
	MethodCommand    Method = "command"     // SignedCommand → CommandState; a repeat answers how it stands
	MethodCommandGet Method = "command.get" // CommandParams → CommandState
)

// CommandVerb is what a command does.
type CommandVerb string

// The verbs. Those of a container name it.
const (
	VerbRestart          CommandVerb = "agentd.restart"
	VerbRefresh          CommandVerb = "config.refresh"
	VerbContainers       CommandVerb = "containers.list"
	VerbContainerStart   CommandVerb = "container.start"
	VerbContainerStop    CommandVerb = "container.stop"
	VerbContainerRestart CommandVerb = "container.restart"
)

// VerbWipe erases the customer's data, agentd's own and all containers, and then lets the hub in again, by the key that the command
// carries. It is sent at the end of an order whose machine is the operator's own.
const VerbWipe CommandVerb = "machine.wipe"

// CommandVerbs lists what staff may send by itself. VerbWipe is not among them.
func CommandVerbs() []CommandVerb {
	return []CommandVerb{VerbRestart, VerbRefresh, VerbContainers, VerbContainerStart, VerbContainerStop, VerbContainerRestart}
}

// OfContainer says whether the verb names a container.
func (v CommandVerb) OfContainer() bool {
	return v == VerbContainerStart || v == VerbContainerStop || v == VerbContainerRestart
}

// MaxCommandLife is how long a command may be good for at most.
const MaxCommandLife = 10 * time.Minute

// Command is one act on one server. ID makes it happen once, From and Until bound when.
type Command struct {
	ID        string      `json:"id"`
	ServerID  string      `json:"server_id"`
	Verb      CommandVerb `json:"verb"`
	Container string      `json:"container,omitempty"`
	LetIn     string      `json:"let_in,omitempty"` // VerbWipe only: the SSH key that root is reached by afterwards, as in authorized_keys
	By        string      `json:"by"`               // who of the hub's staff
	From      time.Time   `json:"from"`
	Until     time.Time   `json:"until"`
}

// SignedCommand is a command as the hub signed it. The text travels as it was signed: nothing is encoded again.
type SignedCommand struct {
	Text string `json:"text"` // JSON of a Command
	Sig  string `json:"sig"`  // Ed25519 over commandMark and Text, base64url
}

const commandMark = "gatehouse-command-v1\n"

// SignCommand signs a command with the hub's command key.
func SignCommand(c Command, key ed25519.PrivateKey) (SignedCommand, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return SignedCommand{}, fmt.Errorf("sign command: %w", err)
	}
	sig := ed25519.Sign(key, []byte(commandMark+string(text)))
	return SignedCommand{Text: string(text), Sig: base64.RawURLEncoding.EncodeToString(sig)}, nil
}

// ErrCommand says that a command is not signed by the hub's command key.
var ErrCommand = errors.New("command is not signed by the hub's command key")

// Open checks the signature and reads the command.
func (s SignedCommand) Open(key ed25519.PublicKey) (c Command, err error) {
	sig, err := base64.RawURLEncoding.DecodeString(s.Sig)
	if err != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(commandMark+s.Text), sig) {
		return c, ErrCommand
	}
	if err := json.Unmarshal([]byte(s.Text), &c); err != nil {
		return c, fmt.Errorf("%w: its text is none: %w", ErrCommand, err)
	}
	return c, nil
}

// CommandParams names a command.
type CommandParams struct {
	ID string `json:"id"`
}

// How a command stands on its server.
const (
	CommandRunning = "running"
	CommandDone    = "done"
	CommandRefused = "refused" // nothing was done
	CommandFailed  = "failed"
)

// CommandState is how a command stands. Text is for people.
type CommandState struct {
	ID         string          `json:"id"`
	State      string          `json:"state"`
	Text       string          `json:"text"`
	Containers []ContainerInfo `json:"containers,omitempty"` // VerbContainers only
}

// ContainerInfo is a container as staff see it without a support window: its name and how it is, nothing that it says.
type ContainerInfo struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Image string `json:"image"`
	State string `json:"state"`
}
