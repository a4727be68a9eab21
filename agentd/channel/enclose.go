package channel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// enclosed is what goes with an answer.
type enclosed struct {
	files []SentFile
	left  []string // what does not go with it, in words for whoever gets it
}

// enclose copies the files that go with the answer to a message into the outbox, under the id of the letter that it will be. It comes
// before the letter is written: a copy without a letter is removed, and a letter without its copies would be none.
func (c *Channels) enclose(ctx context.Context, channel, letter string, said Answer) (e enclosed, err error) {
	if len(said.Files) == 0 || said.Failed || said.Into != "" {
		return e, nil
	}
	r, err := c.byName(ctx, channel)
	if err != nil {
		return e, err
	}
	can, err := c.can(r)
	if err != nil {
		return e, err
	}
	if c.copies.dir == "" || c.d.ReadFile == nil {
		can.SendFiles = 0
	}
	room := can.SendBytes
	for _, f := range said.Files {
		data, why := c.paper(f, can, len(e.files), room)
		if why != "" {
			e.left = append(e.left, c.leftOut(f.Path, why))
			continue
		}
		if err := c.copies.keep(letter, len(e.files), data); err != nil {
			return e, err
		}
		room -= f.Bytes
		e.files = append(e.files, SentFile{Name: sendName(f.Path), Path: f.Path, Bytes: f.Bytes, SHA256: f.SHA256})
	}
	return e, nil
}

// SendsFiles says whether files go with the answer to a message that came by something. What is no channel shows them in the portal.
func (c *Channels) SendsFiles(ctx context.Context, name string) (bool, error) {
	r, err := c.byName(ctx, name)
	if errors.Is(err, errNone) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	can, err := c.can(r)
	return can.SendFiles > 0, err
}

// paper reads a file that goes with an answer, or says why it does not.
func (c *Channels) paper(f tool.Attachment, can Capabilities, already int, room int64) (data []byte, why string) {
	switch {
	case can.SendFiles == 0:
		return nil, "no files are sent by this channel"
	case already == can.SendFiles:
		return nil, fmt.Sprintf("%d files go with one answer here, and no more", can.SendFiles)
	case f.Bytes > room:
		return nil, fmt.Sprintf("it is too large (%s): %s go with one answer here", tool.Bytes(f.Bytes), tool.Bytes(can.SendBytes))
	case f.Bytes == 0:
		return nil, "it is empty"
	}
	data, err := c.d.ReadFile(f.Path, f.Bytes)
	switch {
	case err != nil:
		return nil, "it is not there anymore as it was"
	case int64(len(data)) != f.Bytes || sumOf(data) != f.SHA256:
		return nil, "it was changed after it was attached"
	case isText(data) && redact.Text(string(data)) != string(data):
		return nil, "it holds something that looks like a password or a key"
	}
	return data, ""
}

// leftOut says that a file does not go with an answer, and where it is.
func (c *Channels) leftOut(file, why string) string {
	says := policy.Visible(path.Base(file)) + " is not attached, because " + why + "."
	if at := c.page("/app/files/view?" + url.Values{"path": {file}}.Encode()); at != "" {
		says += " It is in the portal: " + at
	}
	return says
}

// sendName is what a file is called where it is sent: its own name, without signs that show it as something else.
func sendName(file string) string {
	name := strings.Map(func(r rune) rune {
		unseen := unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
		if unseen || r == utf8.RuneError || strings.ContainsRune(`/\:*?"<>|;`, r) {
			return '_'
		}
		return r
	}, path.Base(file))
	ext := clip(path.Ext(name), 20)
	if len(name) > maxName {
		name = clip(strings.TrimSuffix(name, path.Ext(name)), maxName-len(ext)) + ext
	}
	return name
}

// isText says whether a file can be read as it is.
func isText(data []byte) bool { return utf8.Valid(data) && !strings.ContainsRune(string(data), 0) }

// sentFacts are what whoever decides about a letter has to know about its files.
func sentFacts(files []SentFile) (all []tool.Fact) {
	if len(files) == 0 {
		return nil
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = policy.Visible(f.Name)
	}
	n := int64(len(files))
	all = append(all, tool.Fact{Name: "files", Value: n, Text: tool.Count(n, "file", "files") + ": " + strings.Join(names, ", ")})
	for i, f := range files {
		all = append(all, tool.Fact{
			Name: "file_bytes", Value: f.Bytes, Text: names[i] + ": " + tool.Bytes(f.Bytes) + ", SHA-256 " + f.SHA256,
		})
	}
	return all
}

// mayEnclose refuses files of what is no answer, and of what goes to a stranger.
func (c *Channels) mayEnclose(ctx context.Context, in SendArgs) error {
	if len(in.Files) == 0 {
		return nil
	}
	var strange bool
	const query = `SELECT EXISTS (SELECT 1 FROM channel_strangers s WHERE s.channel = ?1 AND s.address = ?2 AND NOT EXISTS
		(SELECT 1 FROM channel_people p WHERE p.channel = ?1 AND p.address = ?2 AND p.state = 'paired'))`
	err := c.d.DB.Read().QueryRowContext(ctx, query, in.Channel, in.To).Scan(&strange)
	if err != nil {
		return fmt.Errorf("read strangers: %w", err)
	}
	if strange || in.Kind != kindAnswer {
		return tool.Refuse("No files go with this. Nothing was sent.")
	}
	return nil
}

// tidyCopies removes the files of letters that do not wait anymore, and of those that were never written: this program was killed before.
// It runs between answers, so that none of them is on its way.
func (c *Channels) tidyCopies(ctx context.Context) error {
	ids, err := c.copies.letters()
	for _, id := range ids {
		l, broken := c.letter(ctx, id)
		if broken == nil && l.State == "waiting" {
			continue
		}
		if broken != nil && !errors.Is(broken, sql.ErrNoRows) {
			err = errors.Join(err, broken)
			continue
		}
		err = errors.Join(err, c.copies.drop(id))
	}
	return err
}
