package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/agentd/redact"
	"gatehouse/app/dns"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
)

// securedPort is where the SSH server of a machine listens once it is set up.
const securedPort = 22022

// stepLimit is how long one step may take.
const stepLimit = 30 * time.Minute

// Plan is what is to stand on a machine.
type Plan struct {
	ServerID  string
	Token     string // agentd's right to register; empty when it has registered
	Seed      string // the owner's first key (wire.Seed as JSON), for agentd's very first start; empty: none
	Hub       string // base URL at which the machine reaches the hub
	SMTPAddr  string // where agentd sends mail; may be empty
	MailFrom  string
	ModelURL  string // OpenAI-compatible endpoint; empty for the built-in rehearsal
	ModelName string

	ModelVectors string // a model there that turns texts into vectors; empty: none

	ModelKey  string // what that endpoint wants; reaches the model proxy's own file and nothing else; may be empty
	Commands  string // the key with which the hub signs commands, base64url: the machine's own helper checks the wipe by it
	AdminKey  string // the owner's own SSH key; may be empty
	Name      string // under which the server is reached; empty: none
	Authority string // ACME directory of who gives it a certificate; empty: it gets none
}

// Named is a plan for a server of that name. A name that leads to whoever asks for it gets no certificate: no authority can see it.
func (r *Runner) Named(p Plan, name string) Plan {
	if p.Name = name; !dns.Loopback(name) {
		p.Authority = r.Rules.Authority.Or("")
	}
	return p
}

// Runner sets machines up.
type Runner struct {
	Key    ssh.Signer // the hub's, with which it comes in
	Agentd string     // path of the program
	Record Record
	Rules  Rules         // what our staff may change
	Beat   time.Duration // how often a worker says that it works; zero: beatEvery
}

// work is one attempt on one machine.
type work struct {
	*Runner
	Plan
	attempt int
	at      target.Machine
	conn    *target.Conn
	sum     string // SHA-256 of the program, hex
	say     func(lines ...string)
	stop    context.CancelCauseFunc
}

// Run takes a machine through the given steps. It gives the machine as it is met from now on: with its host key, and by its new
// port. A refusal that another try would not change is a *vpshost.RefusedError.
func (r *Runner) Run(ctx context.Context, at target.Machine, p Plan, steps []Step, say func(lines ...string)) (target.Machine, error) {
	attempt, err := r.Record.Begin(ctx, p.ServerID)
	if err != nil {
		return at, fmt.Errorf("set up %s: %w", p.ServerID, err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &work{Runner: r, Plan: p, attempt: attempt, at: at, say: say, stop: stop}
	go w.beat(ctx)
	if w.sum, err = target.Sum(r.Agentd); err == nil {
		err = w.steps(ctx, steps)
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	leaveErr := r.Record.Leave(context.WithoutCancel(ctx), p.ServerID, attempt)
	if errors.Is(leaveErr, ErrOvertaken) && err != nil {
		leaveErr = nil // err says so
	}
	if err := errors.Join(err, leaveErr); err != nil {
		return w.at, fmt.Errorf("set up %s: %w", p.ServerID, err)
	}
	return w.at, nil
}

// beat says now and then that this worker is at work, and stops it when another has taken over.
func (w *work) beat(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(w.Beat, beatEvery))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := w.Record.Beat(ctx, w.ServerID, w.attempt); errors.Is(err, ErrOvertaken) {
			w.stop(err)
			return
		}
	}
}

func (w *work) steps(ctx context.Context, steps []Step) error {
	if err := w.connect(ctx); err != nil {
		return err
	}
	defer func() { _ = w.conn.Close() }() // whatever it says: the work is done or failed
	for _, s := range steps {
		if err := w.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// connect opens the connection, first by the port of a machine that is set up, and pins the key that the machine shows first.
func (w *work) connect(ctx context.Context) error {
	at := w.at
	if !slices.Contains(at.Ports, securedPort) {
		at.Ports = append([]int{securedPort}, at.Ports...)
	}
	conn, err := target.Dial(ctx, at, w.Key)
	if err != nil {
		return reached(err)
	}
	w.conn = conn
	if w.at.HostKey == "" {
		print, err := target.Fingerprint(conn.Key)
		if err != nil {
			return errors.Join(err, conn.Close())
		}
		w.say("The machine's host key was seen for the first time and is trusted from now on: " + print)
		w.at.HostKey = conn.Key
	}
	w.at.Ports = []int{conn.Port}
	return nil
}

// step does one step, unless it is done already.
func (w *work) step(ctx context.Context, s Step) error {
	if err := w.Record.Start(ctx, w.ServerID, w.attempt, s.Name); err != nil {
		return err
	}
	within := w.Rules.Step.Or(stepLimit)
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	state, err := w.try(limited, s)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = &vpshost.RefusedError{Reason: fmt.Sprintf("The step %q did not end within %s, so it was cut off. "+
			"What was done before it stays. Look at its last lines and at the machine, then try again.", s.Name, within)}
	}
	text := ""
	if err != nil {
		state, text = Failed, err.Error()
	}
	if ctx.Err() == nil { // else somebody else may be at it
		if endErr := w.Record.End(ctx, w.ServerID, w.attempt, s.Name, state, redact.Text(text)); endErr != nil {
			return errors.Join(err, endErr)
		}
	}
	if err != nil {
		return fmt.Errorf("step %d, %s: %w", s.Number, s.Name, err)
	}
	return nil
}

func (w *work) try(ctx context.Context, s Step) (State, error) {
	done, err := w.checked(ctx, s, false)
	if err != nil {
		return "", err
	}
	if done {
		w.say(fmt.Sprintf("Step %d of %d, %s: nothing to do.", s.Number, len(names), s.Name))
		return Kept, nil
	}
	w.say(fmt.Sprintf("Step %d of %d, %s: %s", s.Number, len(names), s.Name, s.About()))
	if s.Name == stepTools || s.Name == stepAgentd {
		if err := w.upload(ctx); err != nil {
			return "", err
		}
	}
	if err := w.conn.Run(ctx, s.doIt(), w.vars(), w.line); err != nil {
		return "", ended(err)
	}
	if s.Name == stepSSH {
		if err := w.moveIn(ctx, s); err != nil {
			return "", err
		}
	}
	if s.Name == stepAgentd {
		w.Token, w.Seed = "", "" // handed over
	}
	if done, err = w.checked(ctx, s, true); err == nil && !done {
		err = errors.New("the step ended well, and its check afterwards says that it is not done")
	}
	return Done, err
}

// checked asks the step's own check. What a failed check says is of interest only after the step.
func (w *work) checked(ctx context.Context, s Step, after bool) (bool, error) {
	lines, err := w.conn.Output(ctx, s.check(), w.vars())
	var exit *target.ExitError
	if errors.As(err, &exit) {
		if after {
			w.say(lines...)
		}
		return false, nil
	}
	return err == nil, ended(err)
}

// line passes a line of output on, without anything that looks like a secret.
func (w *work) line(text string) { w.say(redact.Text(text)) }

// upload brings the program.
func (w *work) upload(ctx context.Context) error {
	if err := w.conn.Upload(ctx, w.Agentd, "/usr/local/bin/agentd", "0755"); err != nil {
		return err
	}
	w.say("agentd is on the machine, SHA-256 " + w.sum)
	return nil
}

// moveIn comes in by the new port, and only then closes the old one: a machine that cannot be reached by the new one stays
// reachable by the old.
func (w *work) moveIn(ctx context.Context, s Step) error {
	if w.conn.Port == securedPort {
		return nil
	}
	at := w.at
	at.Ports = []int{securedPort}
	conn, err := target.Dial(ctx, at, w.Key)
	if err != nil {
		return &vpshost.RefusedError{Reason: fmt.Sprintf(
			"SSH listens on port %d now, but the hub cannot reach it there. "+
				"Open it in the provider's own firewall, then try again. Port %d is still open.",
			securedPort, w.conn.Port)}
	}
	if err := w.conn.Close(); err != nil {
		w.line(err.Error())
	}
	w.conn, w.at.Ports = conn, []int{securedPort}
	for _, again := range Steps() {
		if again.Name != stepFirewall && again.Name != stepSSH {
			continue
		}
		if err := w.conn.Run(ctx, again.doIt(), w.vars(), w.line); err != nil {
			return ended(err)
		}
	}
	w.say(fmt.Sprintf("The hub comes in by port %d. The old port is closed.", securedPort))
	return nil
}
