package export

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// archive is a zip that is being written.
type archive struct {
	*Exporter
	ctx context.Context
	zip *zip.Writer
	at  time.Time // of every file in it
}

// write makes the archive at path and says how large it is.
func (e *Exporter) write(ctx context.Context, path string) (int64, error) {
	if err := os.MkdirAll(e.d.Dir, 0o700); err != nil {
		return 0, fmt.Errorf("make folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("make archive: %w", err)
	}
	buffered := bufio.NewWriterSize(f, 64<<10)
	a := archive{e, ctx, zip.NewWriter(buffered), e.d.Now().UTC()}
	err = a.fill()
	if err == nil {
		err = errors.Join(a.zip.Close(), buffered.Flush(), f.Sync())
	}
	info, bad := f.Stat()
	if err = errors.Join(err, bad, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// fill writes the files of the archive. A part that this server does not have is left out.
func (a archive) fill() error {
	if err := a.text("README.md", readme(a.at)); err != nil {
		return err
	}
	for _, archived := range []bool{false, true} {
		if err := a.conversations(archived); err != nil {
			return err
		}
	}
	for _, part := range []func() error{a.receipts, a.memory, a.schedules, a.hooks, a.eventRules} {
		if err := part(); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		name string
		ask  wire.Method
		in   any
	}{
		{"team.json", wire.MethodAgentsList, struct{}{}},
		{"rules/rules.json", wire.MethodPermissionsGet, wire.PermissionsGet{All: true}},
		{"rules/inside-addresses.json", wire.MethodInsideList, struct{}{}},
		{"rules/open-windows.json", wire.MethodWindowsList, struct{}{}},
		{"credentials.json", wire.MethodSecretsList, struct{}{}},
		{"credentials-used.json", wire.MethodSecretsAudit, struct{}{}},
	} {
		if err := a.answer(part.name, part.ask, part.in); err != nil {
			return err
		}
	}
	return a.rules()
}

// rules are the rules in force as the text that they are.
func (a archive) rules() error {
	got, err := ask[wire.Permissions](a, wire.MethodPermissionsGet, struct{}{})
	if err != nil {
		return err
	}
	return a.text("rules/permissions.yaml", got.Text)
}

// answer writes the answer to a question of the pages.
func (a archive) answer(name string, m wire.Method, in any) error {
	got, err := ask[json.RawMessage](a, m, in)
	if err != nil {
		return err
	}
	return a.json(name, got)
}

// receipts writes the log, a record a line.
func (a archive) receipts() error {
	w, err := a.file("receipts.jsonl")
	if err != nil {
		return err
	}
	return a.d.Receipts.Each(a.ctx, func(r wire.Receipt) error {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("receipt %d: %w", r.Seq, err)
		}
		_, err = w.Write(append(redact.Frame(line), '\n'))
		return err
	})
}

// file begins a file of the archive.
func (a archive) file(name string) (io.Writer, error) {
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}

// text writes a whole file.
func (a archive) text(name, text string) error {
	w, err := a.file(name)
	if err == nil {
		_, err = io.WriteString(w, redact.Text(text))
	}
	return err
}

// json writes a whole file that is JSON.
func (a archive) json(name string, raw json.RawMessage) error {
	w, err := a.file(name)
	if err == nil {
		_, err = w.Write(redact.Frame(raw))
	}
	return err
}

// ask puts a question as a page does. What it answers has the form in which it travels.
func ask[T any](a archive, m wire.Method, params any) (out T, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return out, fmt.Errorf("%s: %w", m, err)
	}
	got, err := a.d.Ask(a.ctx, m, raw)
	if err != nil {
		return out, fmt.Errorf("%s: %w", m, err)
	}
	if raw, err = json.Marshal(got); err != nil {
		return out, fmt.Errorf("%s: %w", m, err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, fmt.Errorf("%s: %w", m, err)
	}
	return out, nil
}

// readme says what the archive holds, and what not.
func readme(at time.Time) string {
	return strings.ReplaceAll(readmeText, "{at}", at.Format(time.RFC1123))
}

const readmeText = `# Your data

Made on your server on {at}.

- ` + "`conversations/`" + `: each conversation twice, as Markdown to read and as JSON with every step, action and request.
  Conversations that were deleted are not here.
- ` + "`receipts.jsonl`" + `: the log of what was asked, decided and done, a record a line, oldest first. Each record holds the hash
  of the one before it. ` + "`agentd receipts verify`" + ` on the server checks the whole chain.
- ` + "`rules/`" + `: your rules, with all earlier versions, the addresses that count as inside, and permissions that are open now.
- ` + "`memory.jsonl`" + `: what the team remembers, a note a line, with where each comes from.
- ` + "`schedules.jsonl`" + `: what the team does at its time, a schedule a line.
- ` + "`hooks.jsonl`" + `: where programs outside send what the team works on, a hook a line, without their secrets.
- ` + "`event-rules.jsonl`" + `: what the team does when something happens on the server, a rule a line.
- ` + "`team.json`" + `: the agents with their tools and levels.
- ` + "`credentials.json`" + `: the names of your credentials and where they may be used. Their values never leave the server.
- ` + "`credentials-used.json`" + `: who used or changed which credential, the newest entries.

Anything that looks like a password or a key is masked.

Not in here: the files of your business, which come as an archive of their own, my-files.zip; what the website itself knows about
you, account.json, both from the page "Your data"; and the mails that were sent.
`
