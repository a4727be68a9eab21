package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gatehouse/agentd/redact"
)

// planted is one line of input.
type planted struct {
	ID    json.RawMessage `json:"id"`
	Text  *string         `json:"text"`
	Known []redact.Known  `json:"known"`
}

// redacted is one line of output. Offsets of findings are bytes of the text that came in.
type redactedLine struct {
	ID       json.RawMessage  `json:"id"`
	Text     string           `json:"text"`
	Findings []redact.Finding `json:"findings"`
	Error    string           `json:"error,omitempty"`
}

// unread stands for the text of a line that cannot be read: nothing of it may leave.
const unread = "[REDACTED:unscanned]"

// checkRedact is "agentd check redact": one line out for each line in, whatever stands there.
func checkRedact(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	in, out := bufio.NewReaderSize(c.in, 64<<10), bufio.NewWriterSize(c.out, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	var e scanner
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 || len(line) > 0 && err == nil {
			if err := enc.Encode(e.line(line)); err != nil {
				return fmt.Errorf("write: %w", err)
			}
		}
		if in.Buffered() == 0 || err != nil {
			if ferr := out.Flush(); ferr != nil {
				return fmt.Errorf("write: %w", ferr)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return ctx.Err()
}

// scanner keeps the engine as long as lines know the same secrets.
type scanner struct {
	known  []byte
	engine *redact.Engine
}

// line scans one line. What cannot be read or scanned is withheld as a whole.
func (s *scanner) line(line []byte) redactedLine {
	q, err := readPlanted(line)
	if err != nil {
		return redactedLine{orNull(q.ID), unread, []redact.Finding{}, "The line cannot be read: " + err.Error()}
	}
	text, found, err := s.with(q.Known).Check(*q.Text)
	if err != nil {
		return redactedLine{orNull(q.ID), unread, []redact.Finding{{Kind: "unscanned", End: len(*q.Text)}}, err.Error()}
	}
	if found == nil {
		found = []redact.Finding{}
	}
	return redactedLine{orNull(q.ID), text, found, ""}
}

// with is an engine that knows these secrets and whose marks begin to count anew.
func (s *scanner) with(known []redact.Known) *redact.Engine {
	id, err := json.Marshal(known)
	if err != nil || s.engine == nil || !bytes.Equal(id, s.known) {
		s.known, s.engine = id, redact.NewWith(known)
	}
	return s.engine.Fresh()
}

var errNoText = errors.New(`"text" is missing`)

// readPlanted reads a line. Fields that it does not know change nothing.
func readPlanted(line []byte) (q planted, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&q); err != nil {
		return q, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return q, errors.New("more than one value stands in it")
	}
	if q.Text == nil {
		return q, errNoText
	}
	return q, nil
}
