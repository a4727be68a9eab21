package gatetest

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"gatehouse/agentd/policy/canonical"
)

// Ledger is the list of effects that really happened: one line each, on the disk before the tool says it did
// anything. Whether something ran once is judged by this file, never by the gate's own records.
type Ledger struct{ Path string }

// Effect is one line of the ledger.
type Effect struct{ CallID, ArgsHash string }

// Append records an effect.
func (l *Ledger) Append(callID string, args []byte) error {
	f, err := os.OpenFile(l.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	_, err = fmt.Fprintf(f, "%s %s\n", callID, canonical.Sum(args))
	return errors.Join(err, f.Sync(), f.Close())
}

// Effects reads all effects, oldest first.
func (l *Ledger) Effects() ([]Effect, error) {
	b, err := os.ReadFile(l.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var all []Effect
	for line := range strings.Lines(string(b)) {
		id, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, Effect{id, hash})
	}
	return all, nil
}

// Has says whether a call has had an effect.
func (l *Ledger) Has(callID string) (bool, error) {
	all, err := l.Effects()
	for _, e := range all {
		if e.CallID == callID {
			return true, err
		}
	}
	return false, err
}
