package wipe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// stopped are the services that are ended and do not start again, in this order: agentd first, which starts the others' work.
var stopped = []string{
	"agentd.service", "agentd-llm-proxy.service", "agentd-containers.service", "agentd-certificate.timer", "agentd-certificate.service",
}

// erased are the folders and files of which nothing may be left. Containers with their images and volumes are below the engine's.
var erased = []string{
	"opt/gatehouse", "var/lib/agentd", "var/lib/agentd-llm-proxy", "var/lib/agentd-certificate", "var/lib/gatehouse", "etc/agentd",
	"etc/gatehouse/certificate.env", "etc/nginx/sites-enabled/gatehouse-name", "etc/nginx/sites-available/gatehouse-name",
	"var/www/acme/.well-known", "home/" + owner, "var/mail/" + owner,
	"var/lib/systemd/linger/" + owner, "var/lib/docker", "var/lib/containerd",
}

// emptied are the folders whose content goes.
var emptied = []string{"var/log/nginx", "var/spool/cron/crontabs", "var/spool/cron/atjobs", "var/spool/cron/atspool"}

// counter is the file in which at keeps its last number. It says nothing, and at needs it.
const counter = ".SEQ"

// shared are folders in which everybody may leave something. What belongs to root stays there: the machine's own services need it.
var shared = []string{"tmp", "var/tmp", "dev/shm", "run/lock"}

// logs are what the machine's own services write about who came and what ran. Their files stay, empty; the older ones go.
var logs = []string{
	"syslog", "messages", "auth.log", "daemon.log", "user.log", "cron.log", "fail2ban.log", "wtmp", "btmp", "lastlog",
}

// stop ends what runs for the customer.
func (h *Helper) stop(ctx context.Context) error {
	for _, unit := range stopped {
		there, err := h.Run(ctx, "systemctl", "list-unit-files", "--no-legend", unit)
		if err != nil || strings.TrimSpace(there) == "" {
			continue // this machine was never set up so far
		}
		if _, err := h.Run(ctx, "systemctl", "stop", unit); err != nil {
			return fmt.Errorf("stop %s: %w", unit, err)
		}
		if _, err := h.Run(ctx, "systemctl", "disable", "--quiet", unit); err != nil {
			h.Log.WarnContext(ctx, "not disabled", "unit", unit, "error", err) // some start by a timer alone
		}
	}
	return nil
}

// containers ends all containers and the engine. The engine's own files go with the others.
func (h *Helper) containers(ctx context.Context) error {
	if _, err := os.Stat(h.at("var/lib/docker")); errors.Is(err, os.ErrNotExist) {
		return nil // there is none, or its files are gone
	}
	if _, err := h.Run(ctx, "systemctl", "start", "docker.service"); err == nil { // else it has nothing that it could end
		list, err := h.Run(ctx, "docker", "ps", "--all", "--quiet", "--no-trunc")
		if err != nil {
			return fmt.Errorf("list containers: %w", err)
		}
		for _, id := range strings.Fields(list) {
			if _, err := h.Run(ctx, "docker", "rm", "--force", "--volumes", id); err != nil {
				return fmt.Errorf("end container %s: %w", id, err)
			}
		}
	}
	for _, unit := range []string{"docker.socket", "docker.service", "containerd.service"} {
		if _, err := h.Run(ctx, "systemctl", "stop", unit); err != nil {
			h.Log.WarnContext(ctx, "not stopped", "unit", unit, "error", err) // one that is in use keeps its files, which prove finds
		}
	}
	return nil
}

// erase removes the files. The keys are overwritten first: without them nothing can be read of what a disk may still hold.
func (h *Helper) erase(context.Context) error {
	if err := overwrite(h.at("etc/agentd")); err != nil {
		return err
	}
	var errs []error
	for _, path := range erased {
		errs = append(errs, os.RemoveAll(h.at(path)))
	}
	for _, path := range emptied {
		errs = append(errs, empty(h.at(path), func(info fs.FileInfo) bool { return info.Name() != counter }))
	}
	for _, path := range shared {
		errs = append(errs, empty(h.at(path), notRoots), h.owned(h.at(path), os.RemoveAll))
	}
	for _, name := range logs {
		errs = append(errs, forget(h.at("var/log/"+name)))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return nil
}

func notRoots(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || s.Uid != 0
}

// empty removes what stands in a folder and is meant.
func empty(dir string, meant func(fs.FileInfo) bool) error {
	all, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range all {
		if info, err := e.Info(); err == nil && meant(info) {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// owned does something with each file and folder of the owner's below a folder. Folders of root's may let everybody in, too.
func (h *Helper) owned(dir string, do func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil // there is none, or it has just gone
		}
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || h.uid == 0 || int(s.Uid) != h.uid {
			return nil
		}
		if err := do(path); err != nil || !e.IsDir() {
			return err
		}
		return fs.SkipDir
	})
}

// forget empties a log, which a service may hold open, and removes the older ones of its name.
func forget(file string) error {
	numbered, err1 := filepath.Glob(file + ".*")
	dated, err2 := filepath.Glob(file + "-*")
	errs := []error{err1, err2}
	for _, path := range slices.Concat(numbered, dated) {
		errs = append(errs, os.Remove(path))
	}
	if err := os.Truncate(file, 0); !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// overwrite writes noise over each file of a folder of root's.
func overwrite(dir string) error {
	all, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range all {
		if e.Type().IsRegular() {
			errs = append(errs, noise(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

func noise(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = io.CopyN(f, rand.Reader, info.Size())
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// tidy has the machine's own services forget what they noted, and start as on a new machine.
func (h *Helper) tidy(ctx context.Context) error {
	for _, c := range [][]string{
		{"journalctl", "--rotate"},
		{"journalctl", "--vacuum-time=1s"},
		{"systemctl", "try-restart", "nginx.service"},
		{"systemctl", "start", "docker.service"},
		{"systemctl", "start", "fstrim.service"},
	} {
		if _, err := h.Run(ctx, c[0], c[1:]...); err != nil {
			h.Log.WarnContext(ctx, "not tidied", "program", c[0], "error", err) // a machine may lack it; nothing of the customer is in it
		}
	}
	return nil
}

// prove looks whether anything is left. The engine has new folders of its own by now.
func (h *Helper) prove(ctx context.Context) error {
	for _, path := range erased {
		if path == "var/lib/docker" || path == "var/lib/containerd" {
			continue
		}
		if _, err := os.Lstat(h.at(path)); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is still there: %w", path, errors.Join(err, ErrLeft))
		}
	}
	for _, path := range slices.Concat(shared, emptied) {
		if err := h.owned(h.at(path), func(path string) error { return fmt.Errorf("%s is still there: %w", path, ErrLeft) }); err != nil {
			return err
		}
	}
	if pids, err := h.processes(); err != nil || len(pids) > 0 {
		return fmt.Errorf("processes of user %s still run: %w", owner, errors.Join(err, ErrLeft))
	}
	if list, err := h.Run(ctx, "docker", "ps", "--all", "--quiet"); err == nil && strings.TrimSpace(list) != "" {
		return fmt.Errorf("containers are still there: %w", ErrLeft)
	}
	return nil
}

// ErrLeft says that something of the customer's could not be erased. The machine lets nobody in then.
var ErrLeft = errors.New("the wipe left something behind")
