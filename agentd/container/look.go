package container

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostLog is how many bytes of a log are given: the end of it.
const mostLog = 512 << 10

// Logs gives the last lines of what a container wrote, on both of its outputs, each line behind its time.
func (e *Engine) Logs(ctx context.Context, which string, lines int) (text []byte, cut bool, err error) {
	if !name.MatchString(which) {
		return nil, false, fmt.Errorf("log of container: %w", ErrName)
	}
	query := url.Values{"stdout": {"1"}, "stderr": {"1"}, "timestamps": {"1"}, "tail": {strconv.Itoa(lines)}}
	raw, err := e.ask(ctx, http.MethodGet, "/containers/"+url.PathEscape(which)+"/logs?"+query.Encode())
	if err != nil {
		return nil, false, fmt.Errorf("log of container %s: %w", which, err)
	}
	text = joined(raw)
	if len(text) > mostLog {
		text, cut = text[len(text)-mostLog:], true
		if _, rest, ok := bytes.Cut(text, []byte{'\n'}); ok {
			text = rest
		}
	}
	return text, cut || len(raw) == most, nil
}

// frameHead is the length of what stands before each piece of a log without a terminal: the output, three zeros, a length.
const frameHead = 8

// joined is the text of a log. With a terminal it comes as it is, otherwise in pieces of both outputs.
func joined(raw []byte) []byte {
	var out []byte
	for rest := raw; len(rest) > 0; {
		if len(rest) < frameHead || rest[0] > 2 || !bytes.Equal(rest[1:4], []byte{0, 0, 0}) {
			if out == nil {
				return raw
			}
			return out // it was cut off within a head
		}
		end := min(frameHead+int(binary.BigEndian.Uint32(rest[4:frameHead])), len(rest))
		out, rest = append(out, rest[frameHead:end]...), rest[end:]
	}
	return out
}

// Details is how a container is set up. The values of its environment are not in it.
type Details struct {
	Name, Image, Restart    string
	Command                 []string
	State, Environment      []string
	Ports, Mounts, Networks []string
}

// inspected is what the engine answers, as far as it is read.
type inspected struct {
	Name         string
	RestartCount int
	State        struct {
		Status, Error         string
		ExitCode              int
		OOMKilled             bool
		StartedAt, FinishedAt time.Time
		Health                *struct {
			Status        string
			FailingStreak int
		}
	}
	Config struct {
		Image      string
		Env        []string
		Cmd        []string
		Entrypoint []string
	}
	HostConfig struct {
		RestartPolicy struct{ Name string }
	}
	Mounts []struct {
		Source, Destination string
		RW                  bool
	}
	NetworkSettings struct {
		Ports    map[string][]struct{ HostIP, HostPort string }
		Networks map[string]struct{ IPAddress string }
	}
}

// Inspect tells how a container is set up.
func (e *Engine) Inspect(ctx context.Context, which string) (Details, error) {
	if !name.MatchString(which) {
		return Details{}, fmt.Errorf("inspect container: %w", ErrName)
	}
	raw, err := e.ask(ctx, http.MethodGet, "/containers/"+url.PathEscape(which)+"/json")
	if err != nil {
		return Details{}, fmt.Errorf("inspect container %s: %w", which, err)
	}
	var in inspected
	if err := json.Unmarshal(raw, &in); err != nil {
		return Details{}, fmt.Errorf("inspect container %s: %w", which, err)
	}
	return in.details(), nil
}

func (in inspected) details() Details {
	d := Details{
		Name: strings.TrimPrefix(in.Name, "/"), Image: in.Config.Image, Restart: in.HostConfig.RestartPolicy.Name,
		Command: append(slices.Clone(in.Config.Entrypoint), in.Config.Cmd...), State: in.state(),
	}
	for _, v := range in.Config.Env {
		key, _, _ := strings.Cut(v, "=")
		d.Environment = append(d.Environment, key)
	}
	for _, m := range in.Mounts {
		line := m.Source + " → " + m.Destination
		if !m.RW {
			line += " (read only)"
		}
		d.Mounts = append(d.Mounts, line)
	}
	for port, to := range in.NetworkSettings.Ports {
		for _, h := range to {
			d.Ports = append(d.Ports, port+" → "+h.HostIP+":"+h.HostPort)
		}
		if len(to) == 0 {
			d.Ports = append(d.Ports, port)
		}
	}
	for network, n := range in.NetworkSettings.Networks {
		d.Networks = append(d.Networks, strings.TrimSpace(network+" "+n.IPAddress))
	}
	slices.Sort(d.Environment)
	slices.Sort(d.Ports)
	slices.Sort(d.Networks)
	return d
}

func (in inspected) state() []string {
	s := in.State
	out := []string{s.Status}
	add := func(when bool, line string) {
		if when {
			out = append(out, line)
		}
	}
	add(!s.StartedAt.IsZero(), "started "+s.StartedAt.UTC().Format(time.RFC3339))
	add(s.Status != "running" && s.FinishedAt.Year() > 1, fmt.Sprintf("ended %s with %d", s.FinishedAt.UTC().Format(time.RFC3339),
		s.ExitCode))
	add(s.OOMKilled, "killed: out of memory")
	add(in.RestartCount > 0, fmt.Sprintf("restarted %d times", in.RestartCount))
	add(s.Error != "", s.Error)
	if s.Health != nil {
		add(true, fmt.Sprintf("health: %s, %d failed checks in a row", s.Health.Status, s.Health.FailingStreak))
	}
	return out
}
