package netcup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/providers"
)

const (
	installWithin = 30 * time.Minute // for a new system
	lookEvery     = 2 * time.Second
)

// newSystem is what is asked for when a machine gets a new system.
type newSystem struct {
	Flavour   int64   `json:"imageFlavourId"`
	Disk      string  `json:"diskName,omitempty"`
	WholeDisk bool    `json:"rootPartitionFullDiskSize"`
	Hostname  string  `json:"hostname"`
	Keys      []int64 `json:"sshKeyIds"`
	Passwords bool    `json:"sshPasswordAuthentication"`
	Script    string  `json:"customScript,omitempty"`
	Mail      bool    `json:"emailToExecutingUser"`
}

// renew has a new system put on a machine, unless that was begun already. The machine of a server gets the host key that the hub
// expects; one that is wiped gets none.
func (h *Host) renew(ctx context.Context, m providers.Machine) (providers.Machine, error) {
	if m.Task != "" {
		return m, nil
	}
	m, err := h.marked(ctx, m)
	if err != nil || !m.Marked {
		return m, err
	}
	want, now, err := h.wanted(ctx, m)
	if err != nil {
		return m, err
	}
	return h.locked(ctx, m, func(ctx context.Context, m *providers.Machine) error {
		if m.Task != "" || !m.Marked {
			return nil
		}
		begun, err := h.begin(ctx, m.ID, m.Mark, isInstall, http.MethodPost, "/image", want.system)
		if err != nil {
			return err
		}
		m.Task, m.Address, m.HostKey, m.Port, m.Problem = begun, now.address(), want.hostKey, sshPort, ""
		return nil
	})
}

const sshPort = 22

// marked keeps where netcup's record stands, before anything is asked for.
func (h *Host) marked(ctx context.Context, m providers.Machine) (providers.Machine, error) {
	if m.Marked {
		return m, nil
	}
	mark, err := h.Account.mark(ctx, m.ID)
	if err != nil {
		return m, err
	}
	return h.change(ctx, m, func(_ context.Context, m *providers.Machine) error {
		if !m.Marked {
			m.Mark, m.Marked = mark, true
		}
		return nil
	})
}

// isInstall knows the task of a new system by its name. A wrong guess has it put on once more, which harms nothing.
func isInstall(t task) bool { return strings.Contains(strings.ToLower(t.Name), "image") }

// anyTask takes whatever was begun.
func anyTask(task) bool { return true }

// errBusy says that something else is under way at the machine.
var errBusy = errors.New("netcup is busy with the machine")

// begin asks for something unless it was begun since the mark, and gives netcup's name of it; "" when it was done at once.
func (h *Host) begin(
	ctx context.Context, id int64, mark string, is func(task) bool, method, path string, body any,
) (string, error) {
	all, err := h.Account.tasks(ctx, id)
	if err != nil {
		return "", err
	}
	for _, t := range since(all, mark) {
		if is(t) {
			return t.UUID, nil
		}
	}
	for _, t := range all {
		if t.open() {
			return "", &laterError{fmt.Errorf("%w: %s", errBusy, t.Name), lookEvery}
		}
	}
	var made task
	err = h.Account.call(ctx, method, serverPath(id)+path, body, &made)
	return made.UUID, err
}

// wish is a new system, and the host key that comes with it.
type wish struct {
	system  newSystem
	hostKey string
}

// wanted puts together what a machine gets.
func (h *Host) wanted(ctx context.Context, m providers.Machine) (w wish, now wholeServer, err error) {
	if now, err = h.Account.server(ctx, m.ID); err != nil {
		return w, now, err
	}
	if now.address() == "" {
		return w, now, &vpshost.RefusedError{
			Reason: "The machine has no IPv4 address at netcup. Look at it in the Server Control Panel, then try again.",
		}
	}
	w.system = newSystem{WholeDisk: true, Hostname: m.Name}
	if now.Live != nil && len(now.Live.Disks) > 0 {
		w.system.Disk = now.Live.Disks[0].Dev
	}
	if w.system.Flavour, err = h.flavour(ctx, m.ID, now.Live != nil && now.Live.UEFI); err != nil {
		return w, now, err
	}
	login, err := h.loginKey(ctx)
	if err != nil {
		return w, now, err
	}
	w.system.Keys = []int64{login}
	if m.ServerID == "" {
		return w, now, nil
	}
	key, err := setup.DeriveHostKey(h.KeySeed, m.ServerID)
	if err != nil {
		return w, now, err
	}
	w.system.Hostname, w.hostKey = "gatehouse-"+m.ServerID, key.Public()
	w.system.Script, err = script(key)
	return w, now, err
}

// script gives a machine its host key with its first boot. Until then it shows another one, and the hub waits.
func script(key setup.HostKey) (string, error) {
	private, err := key.Private()
	if err != nil {
		return "", err
	}
	return "#!/bin/sh\nset -eu\numask 077\ncat > /etc/ssh/ssh_host_ed25519_key.new <<'KEY'\n" + private + "KEY\n" +
		"printf '%s\\n' '" + key.Public() + "' > /etc/ssh/ssh_host_ed25519_key.pub\nchmod 644 /etc/ssh/ssh_host_ed25519_key.pub\n" +
		"mv /etc/ssh/ssh_host_ed25519_key.new /etc/ssh/ssh_host_ed25519_key\n" +
		"systemctl restart ssh || systemctl restart sshd\n", nil
}

// debian is the name of an image that the steps are made for.
var debian = regexp.MustCompile(`^Debian (\d+)(\.[0-9.]+)? (UEFI|BIOS)\b`)

// The releases of Debian that fit, the first one best.
var releases = []int{12, 13}

// flavour is the image that a machine gets: one that boots on it.
func (h *Host) flavour(ctx context.Context, id int64, uefi bool) (int64, error) {
	var all []struct {
		ID    int64  `json:"id"`
		Name  string `json:"name"`
		Image struct {
			Name string `json:"name"`
		} `json:"image"`
	}
	if err := h.Account.call(ctx, http.MethodGet, serverPath(id)+"/imageflavours", nil, &all); err != nil {
		return 0, err
	}
	for _, release := range releases {
		for _, f := range all {
			m := debian.FindStringSubmatch(f.Image.Name)
			if m != nil && m[1] == strconv.Itoa(release) && (m[3] == "UEFI") == uefi {
				return f.ID, nil
			}
		}
	}
	return 0, &vpshost.RefusedError{Reason: "netcup offers no Debian 12 or 13 for this machine. Choose another one for this order."}
}

// loginKey is the hub's key in the account: machines get it with their system, so that nobody is mailed a password.
func (h *Host) loginKey(ctx context.Context) (int64, error) {
	owner, err := h.Account.owner(ctx)
	if err != nil {
		return 0, err
	}
	type known struct {
		ID   int64  `json:"id,omitempty"`
		Name string `json:"name"`
		Key  string `json:"key"`
	}
	path, public := "/users/"+strconv.FormatInt(owner, 10)+"/ssh-keys", target.KeyText(h.Site.Runner.Key.PublicKey())
	var all []known
	if err := h.Account.call(ctx, http.MethodGet, path, nil, &all); err != nil {
		return 0, err
	}
	for _, k := range all {
		if f := strings.Fields(k.Key); len(f) >= 2 && f[0]+" "+f[1] == public {
			return k.ID, nil
		}
	}
	var made known
	err = h.Account.call(ctx, http.MethodPost, path, known{Name: "gatehouse hub", Key: public}, &made)
	if err == nil && made.ID == 0 {
		err = fmt.Errorf("%w: it names no key", errAway)
	}
	return made.ID, err
}

// ended says whether a task is done. One that failed is a refusal.
func (a *Account) ended(ctx context.Context, uuid string) (bool, error) {
	var t task
	if err := a.call(ctx, http.MethodGet, "/tasks/"+uuid, nil, &t); err != nil {
		return false, err
	}
	switch {
	case t.State == finished:
		return true, nil
	case !t.open():
		return false, &vpshost.RefusedError{Reason: "netcup began this, but did not bring it to its end. It says: " + said(t.Message)}
	}
	return false, nil
}

// prepared waits until a server's machine has its new system. One whose set-up was begun has it.
func (h *Host) prepared(ctx context.Context, m providers.Machine, say func(...string)) (providers.Machine, error) {
	begun, err := h.Site.Setups.Begun(ctx, m.ServerID)
	if err != nil || begun {
		return m, err
	}
	say("netcup puts a new system on the machine.")
	waiting, cancel := context.WithTimeout(ctx, installWithin)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		var done bool
		if m, done, err = h.look(waiting, m); done || !again(err) {
			return m, err
		}
		select {
		case <-waiting.Done():
			return m, errors.Join(errors.New("netcup does not finish the new system in time"), err, ctx.Err())
		case <-tick.C:
		}
	}
}

// again says whether it is worth asking again right away.
func again(err error) bool { return err == nil || errors.Is(err, errBusy) }

// look begins the new system of a machine, or sees whether it is there. One that failed is begun anew by the next try.
func (h *Host) look(ctx context.Context, m providers.Machine) (providers.Machine, bool, error) {
	m, err := h.renew(ctx, m)
	if err != nil || m.Task == "" {
		return m, false, err
	}
	done, err := h.Account.ended(ctx, m.Task)
	var refused *vpshost.RefusedError
	if errors.As(err, &refused) && !errors.Is(err, providers.ErrNotConnected) {
		_, noted := h.change(ctx, m, func(_ context.Context, m *providers.Machine) error {
			m.Marked, m.Mark, m.Task, m.Problem = false, "", "", refused.Reason
			return nil
		})
		err = errors.Join(err, noted)
	}
	return m, done, err
}

// Wipe goes on with machines that were given back: each is free once it has a new system and no snapshot of before. It says how many
// became free.
func (h *Host) Wipe(ctx context.Context) (int, error) {
	all, err := h.Machines.List(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, m := range all {
		if m.State != providers.Wiping {
			continue
		}
		freed, err := h.wipe(ctx, m)
		if freed {
			n++
		}
		errs = append(errs, err)
	}
	return n, errors.Join(errs...)
}

// wipe brings one machine a step further. What cannot be wiped waits for somebody; what netcup does not answer now is tried again.
func (h *Host) wipe(ctx context.Context, m providers.Machine) (freed bool, err error) {
	m, done, err := h.look(ctx, m)
	if err == nil && done {
		done, err = h.bare(ctx, m.ID)
	}
	var refused *vpshost.RefusedError
	switch {
	case errors.Is(err, providers.ErrNotConnected), errors.Is(err, errBusy), errors.Is(err, errMoved), err == nil && !done:
		return false, nil // the page says that it waits
	case err != nil && !errors.As(err, &refused):
		return false, err
	}
	_, err = h.change(ctx, m, func(_ context.Context, m *providers.Machine) error {
		if refused != nil {
			m.Move(providers.NeedsHands, h.Account.Now())
			m.Problem = refused.Reason
			return nil
		}
		m.Move(providers.Free, h.Account.Now())
		freed = true
		return nil
	})
	return freed, moved(err)
}
