package pool

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// Limits of what is typed, in characters.
const (
	maxName    = 60
	maxAddress = 253
)

var (
	hostName = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
	login    = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)
	hostKey  = regexp.MustCompile(`^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+=*$`)
)

// Add adds a machine to the pool, held until it was looked at.
func (s *Service) Add(ctx context.Context, in New, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.PoolManage); err != nil {
		return Machine{}, err
	}
	m, bad := in.machine()
	if len(bad) > 0 {
		return Machine{}, fault.Bad(bad)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Machine{}, fmt.Errorf("add machine: %w", err)
	}
	m.ID, m.State, m.CreatedAt = ID(id.String()), Held, s.Now().UTC()
	e, err := s.entry(by, "pool.add", m)
	if err != nil {
		return Machine{}, err
	}
	if err := s.Store.Add(ctx, m, e); err != nil {
		return Machine{}, fmt.Errorf("add machine: %w", err)
	}
	return m, nil
}

// machine reads what was typed, and says which fields do not fit.
func (in New) machine() (Machine, map[string]string) {
	bad := map[string]string{}
	key, problem := parseKey(in.HostKey)
	if problem != "" {
		bad["host_key"] = problem
	}
	m := Machine{
		Name: strings.TrimSpace(in.Name), Address: strings.TrimSpace(in.Address), Login: strings.TrimSpace(in.Login),
		Region: in.Region, HostKey: key, Port: 22,
	}
	if n := utf8.RuneCountInString(m.Name); n == 0 || n > maxName {
		bad["name"] = "Give the machine a name of at most 60 characters."
	}
	if !isAddress(m.Address) {
		bad["address"] = "Type a host name or an IP address, without a port."
	}
	if port := strings.TrimSpace(in.Port); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if m.Port = int(n); err != nil || n == 0 {
			bad["port"] = "Type a port from 1 to 65535, or nothing for 22."
		}
	}
	if m.Login == "" {
		m.Login = "root"
	}
	if !login.MatchString(m.Login) {
		bad["login"] = "Type the name of a user, or nothing for root."
	}
	if m.Region != "eu" && m.Region != "na" {
		bad["region"] = "Choose a region."
	}
	return m, bad
}

// parseKey reads a host key as it was pasted, without its comment, or says what is wrong with it. None is fine.
func parseKey(line string) (key, problem string) {
	fields := strings.Fields(line)
	if key = strings.Join(fields[:min(2, len(fields))], " "); key != "" && !hostKey.MatchString(key) {
		return "", "Paste one line from the machine's /etc/ssh/ssh_host_…_key.pub, or leave this empty."
	}
	return key, ""
}

func isAddress(s string) bool {
	return s != "" && len(s) <= maxAddress && (net.ParseIP(s) != nil || hostName.MatchString(s))
}

// entry is the record of a change to a machine.
func (s *Service) entry(by audit.Actor, action string, m Machine) (audit.Entry, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return audit.Entry{}, fmt.Errorf("%s: %w", action, err)
	}
	return audit.Entry{
		ID: id.String(), At: s.Now().UTC(), By: by, Action: action, Target: string(m.ID),
		Details: map[string]string{"name": m.Name, "address": m.Address, "state": string(m.State)},
	}, nil
}
