package filelist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// maxEntries is how many entries of one folder are shown.
const maxEntries = 2000

// Tool lists one folder.
type Tool struct{ root *dataroot.Root }

// New makes the tool for one data folder.
func New(root *dataroot.Root) *Tool { return &Tool{root: root} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "file_list", Doc: "List one folder of the business's files: one line an entry with kind, size in bytes, time of change (UTC) and name.",
		Args: tool.SchemaOf[policy.FileListArgs](), Idempotent: true, Timeout: 30 * time.Second,
	}
}

// Classify judges the path by its text.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("file_list", args, t.root.Env())
}

// Run lists the folder.
func (t *Tool) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.FileListArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("file_list: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("file_list: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	text, n, err := t.list(rel)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Text: text, Summary: fmt.Sprintf("Listed %s in %s", tool.Count(int64(n), "entry", "entries"), rel),
		Facts: []tool.Fact{{Name: "entries", Value: int64(n), Text: tool.Count(int64(n), "entry", "entries")}},
	}, nil
}

// list is the folder as text, and how many entries it has.
func (t *Tool) list(rel string) (string, int, error) {
	folder, err := t.root.Folder(rel)
	if err != nil {
		return "", 0, err
	}
	defer folder.Close()
	entries, err := folder.Entries()
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	for _, e := range entries[:min(len(entries), maxEntries)] {
		if err := line(&b, e); err != nil {
			return "", 0, err
		}
	}
	if more := len(entries) - maxEntries; more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	if len(entries) == 0 {
		b.WriteString("The folder is empty.\n")
	}
	return b.String(), len(entries), nil
}

// line writes one entry. What vanished meanwhile is left out.
func line(b *strings.Builder, e fs.DirEntry) error {
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at entry: %w", err)
	}
	kind := "file"
	switch {
	case info.IsDir():
		kind = "folder"
	case info.Mode()&fs.ModeSymlink != 0:
		kind = "link"
	case !info.Mode().IsRegular():
		kind = "other"
	}
	fmt.Fprintf(b, "%-6s %12d %s %q\n", kind, info.Size(), info.ModTime().UTC().Format(time.RFC3339), info.Name())
	return nil
}
