package attach

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// Answers keeps what goes with the answers of runs. A repeat with the same file changes nothing. An error of type *tool.Refused is for
// the model.
type Answers interface {
	Attach(ctx context.Context, callID, runID string, a tool.Attachment) error
}

// Tool attaches one file.
type Tool struct {
	root *dataroot.Root
	to   Answers
}

// New makes the tool for one data folder.
func New(root *dataroot.Root, to Answers) *Tool { return &Tool{root: root, to: to} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "attach",
		Doc: "Add one file of the business to your answer, when the person wants the file itself. They get it where they wrote: " +
			"in the portal, by mail or by a messenger.",
		Args: tool.SchemaOf[policy.AttachArgs](), Idempotent: true, Timeout: 30 * time.Second,
	}
}

// Classify judges the path by its text.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("attach", args, t.root.Env())
}

// Measure looks at the file. What it freezes is what is attached, or nothing.
func (t *Tool) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	a, err := t.look(args)
	if err != nil {
		return gate.Measured{}, err
	}
	frozen, err := json.Marshal(a)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("attach: %w", err)
	}
	return gate.Measured{Frozen: frozen, Facts: facts(a)}, nil
}

func facts(a tool.Attachment) []tool.Fact {
	return []tool.Fact{
		{Name: "bytes", Value: a.Bytes, Text: tool.Bytes(a.Bytes)},
		{Name: "sha256", Text: "SHA-256 " + a.SHA256},
	}
}

// Run adds the file to the answer, if it is still what was measured.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	a, err := t.look(args)
	if err != nil {
		return tool.Result{}, err
	}
	var was tool.Attachment
	if err := json.Unmarshal(p.Frozen(), &was); err != nil || was != a {
		return tool.Result{}, tool.Refuse("%s was changed meanwhile. It was not attached.", a.Path)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("attach: %w", err)
	}
	if err := t.to.Attach(ctx, p.CallID(), p.RunID(), a); err != nil {
		return tool.Result{}, fmt.Errorf("attach %s: %w", a.Path, err)
	}
	return tool.Result{
		Text: "Attached. " + path.Base(a.Path) + " goes with the answer to this message.", Summary: "Attached " + a.Path,
		Facts: facts(a), Effects: []tool.Effect{{Kind: "attached", Target: a.Path, Count: 1}},
	}, nil
}

// look reads the file and says what it is. One that holds a secret does not leave the server: of that there is another way, once.
func (t *Tool) look(args json.RawMessage) (a tool.Attachment, err error) {
	in, err := tool.Parse[policy.AttachArgs](args)
	if err != nil {
		return a, fmt.Errorf("attach: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	if err != nil {
		return a, err
	}
	if redact.Text(rel) != rel {
		return a, tool.Refuse("The name of the file looks like a password or a key. It was not attached.")
	}
	b, err := t.root.ReadFile(rel, tool.MaxAttachment)
	if err != nil {
		return a, err
	}
	if utf8.Valid(b) && redact.Text(string(b)) != string(b) {
		return a, tool.Refuse("%s holds something that looks like a password or a key. It was not attached.", rel)
	}
	sum := sha256.Sum256(b)
	return tool.Attachment{Path: rel, Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}, nil
}
