package fileread

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// Tool reads one file.
type Tool struct{ root *dataroot.Root }

// New makes the tool for one data folder.
func New(root *dataroot.Root) *Tool { return &Tool{root: root} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "file_read", Doc: "Read one text file of the business and return its text.",
		Args: tool.SchemaOf[policy.FileReadArgs](), Idempotent: true, Timeout: 30 * time.Second,
	}
}

// Classify judges the path by its text.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("file_read", args, t.root.Env())
}

// Run reads the file.
func (t *Tool) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.FileReadArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("file_read: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("file_read: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	text, err := t.read(rel)
	if err != nil {
		return tool.Result{}, err
	}
	n := int64(len(text))
	return tool.Result{
		Text: text, Summary: fmt.Sprintf("Read %s, %s", rel, tool.Bytes(n)),
		Facts: []tool.Fact{{Name: "bytes", Value: n, Text: tool.Bytes(n)}},
	}, nil
}

// read gives the text of a file, or why there is none.
func (t *Tool) read(rel string) (string, error) {
	b, err := t.root.ReadFile(rel, policy.MaxFile)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", tool.Refuse("%s is not text (%s).", rel, tool.Bytes(int64(len(b))))
	}
	return string(b), nil
}
