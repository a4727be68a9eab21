package setup

import (
	"context"
	"errors"
	"time"

	"gatehouse/app/provider/target"
)

const lookEvery = 2 * time.Second

// Booted waits until a new machine lets the hub in, unless its set-up was begun. It answers before its first boot is over, and takes the
// key only then. What is wrong with it after that time, the first step says.
//
// KeyComes says that the machine shows another host key at first, and gets the one that is expected of it only while it boots.
func (s *Site) Booted(
	ctx context.Context, at target.Machine, serverID string, within time.Duration, keyComes bool, say func(...string),
) error {
	begun, err := s.Setups.Begun(ctx, serverID)
	if err != nil || begun {
		return err
	}
	say("The machine is starting.")
	booting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		conn, err := target.Dial(booting, at, s.Runner.Key)
		if err == nil {
			return conn.Close()
		}
		if errors.Is(err, target.ErrHostKey) && !keyComes {
			return nil
		}
		select {
		case <-booting.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
