package external

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/agentd/vault"
)

const (
	// askedEvery is how soon a command that asks for a look is heard.
	askedEvery = 500 * time.Millisecond
	// lookWithin bounds one look, however many secrets there are. What was not reached by then counts as away.
	lookWithin = time.Minute
)

// Follower keeps the secrets of a vault that come from the external vault up to date.
type Follower struct {
	vault *vault.Vault
	cfg   Config
	c     *client
	s     *session
	now   func() time.Time
	log   *slog.Logger

	within func(context.Context) (context.Context, context.CancelFunc) // of one look
	next   string                                                      // path at which the next look begins
	heard  int64                                                       // how many looks had been asked for at the last

	general vault.Trouble            // as it was last told
	told    map[string]vault.Trouble // by name
}

// New makes a follower. Errors are those of the settings.
func New(cfg Config, v *vault.Vault, now func() time.Time, log *slog.Logger) (*Follower, error) {
	c, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	v.UseFetched(cfg.MaxAge)
	within := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, lookWithin)
	}
	return &Follower{
		vault: v, cfg: cfg, c: c, s: &session{c: c, cfg: cfg, now: now}, now: now, log: log, within: within, told: map[string]vault.Trouble{},
	}, nil
}

// Run looks now, at every interval and when it is asked to, until ctx ends. No answer of the external vault ends it, and
// neither does a local vault that cannot be written just now.
func (f *Follower) Run(ctx context.Context) error {
	due, soon := time.NewTicker(f.cfg.Every), time.NewTicker(askedEvery)
	defer due.Stop()
	defer soon.Stop()
	look := true
	for {
		f.turn(ctx, look)
		select {
		case <-due.C:
			look = true
		case <-soon.C:
			look = false
		case <-ctx.Done():
			return nil
		}
	}
}

// turn looks when that is due, or was asked for since the last look, however that went: a disk that is full must not let
// the external vault be asked all the time.
func (f *Follower) turn(ctx context.Context, due bool) {
	asked, done, err := f.vault.Asked(ctx)
	if err == nil && (due || asked > max(done, f.heard)) {
		f.heard = asked
		err = f.Look(ctx, asked)
	}
	if err != nil && ctx.Err() == nil && due {
		f.log.ErrorContext(ctx, "what the external vault says cannot be kept", "error", err)
	}
}

// Look asks once about every secret. It answers the looks that were asked for, up to that number. Its errors are those of
// the local vault.
func (f *Follower) Look(ctx context.Context, asked int64) error {
	at := f.now()
	all, err := f.vault.Followed(ctx)
	if err != nil {
		return err
	}
	within, cancel := f.within(ctx)
	seen, general := f.see(within, all)
	cancel()
	if err := ctx.Err(); err != nil {
		return err // agentd ends: nothing was said about the external vault
	}
	if err := f.vault.Follow(ctx, at, seen); err != nil {
		return err
	}
	f.tell(ctx, all, seen, general)
	return f.vault.Looked(ctx, vault.External{Address: f.cfg.Address, Trouble: general, LookedAt: at}, asked)
}
