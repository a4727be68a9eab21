package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/dev"
	"gatehouse/cmd/hub/devmail"
)

func channelInbound() Figure {
	return Figure{
		Name: "channel_inbound_to_run_p50_ms", Unit: "ms", Goal: 20, Fsync: true, Take: takeInbound,
		How: "a mail of the owner, from when the mail server has it until the model is asked, " +
			"less the 1.5 s that a burst of messages is waited for: " +
			"told over IMAP IDLE, fetched, checked, recorded, run begun; one after the other, each answered by mail in between",
	}
}

// takeInbound sends the team mails, one after the other.
func takeInbound(ctx context.Context, s *Stage) (Run, error) {
	store, err := devmail.OpenStore(filepath.Join(s.hub.Dir, "mail"), time.Now)
	if err != nil {
		return Run{}, err
	}
	defer s.bench.model.hear(nil)
	n := s.count(30, 3)
	var took []time.Duration
	for i := range n + 2 {
		d, err := s.letter(ctx, store, fmt.Sprintf("Question %d of %s", i, time.Now().Format("150405.000")))
		if err != nil {
			return Run{}, err
		}
		if i >= 2 { // the first two warm up
			took = append(took, d-wire.DefaultDebounce)
		}
	}
	return Run{Value: percentile(took, 50), N: len(took)}, nil
}

// letter sends the team one mail, waits until the model is asked because of it, which is what is measured, and until it is answered.
func (s *Stage) letter(ctx context.Context, store *devmail.Store, subject string) (time.Duration, error) {
	before, err := store.IDs()
	if err != nil {
		return 0, err
	}
	asked := make(chan time.Time, 1)
	s.bench.model.hear(func(request []byte) {
		if bytes.Contains(request, []byte(subject)) {
			select {
			case asked <- time.Now():
			default: // it was asked before, about the same mail
			}
		}
	})
	if err := dev.Write(s.hub.Dir, subject, subject, time.Now()); err != nil {
		return 0, err
	}
	sent := time.Now()
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var took time.Duration
	select {
	case at := <-asked:
		took = at.Sub(sent)
	case <-ctx.Done():
		return 0, errors.Join(errors.New("the model was never asked about a mail"), ctx.Err())
	}
	return took, answered(ctx, store, before, subject)
}

// answered waits until a mail with this in its subject is there that was not before.
func answered(ctx context.Context, store *devmail.Store, before []string, subject string) error {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		if came, err := cameSince(store, before, subject); came || err != nil {
			return err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("no mail says %q", subject), ctx.Err())
		}
	}
}

// cameSince says whether a mail with this in its subject is there that was not before.
func cameSince(store *devmail.Store, before []string, subject string) (bool, error) {
	ids, err := store.IDs()
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if len(before) > 0 && id <= before[0] {
			break
		}
		m, err := store.Get(id)
		if err == nil && strings.Contains(m.Subject, subject) {
			return true, nil
		}
	}
	return false, nil
}
