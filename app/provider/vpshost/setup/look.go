package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatehouse/app/pool"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
)

// lookAround prints what is of interest about a machine and changes nothing.
const lookAround = `. /etc/os-release
echo "id=$ID"
echo "release=${VERSION_ID:-0}"
echo "name=$PRETTY_NAME"
echo "cpus=$(nproc)"
awk '/^MemTotal:/ {print "memory=" $2}' /proc/meminfo
echo "disk=$(df --output=avail -k / | tail -n 1 | tr -d ' ')"
echo "init=$(cat /proc/1/comm)"
echo "user=$(id -un)"
[ ! -e /etc/gatehouse/wipe.under-way ] || echo "wiping=yes"
`

// What a machine needs at least: megabytes of memory and gigabytes of free disk.
const (
	leastMemory = 900
	leastDisk   = 8
)

// releases are the systems that the steps are made for, each with the oldest release that has what they need.
var releases = map[string]float64{"debian": 12, "ubuntu": 22.04}

// Looker looks at machines of the pool. It is pool.Looker.
type Looker struct{ Runner *Runner }

var _ pool.Looker = Looker{}

// PublicKey is the hub's key that a machine must accept.
func (l Looker) PublicKey(context.Context) (string, error) {
	return target.KeyText(l.Runner.Key.PublicKey()), nil
}

// Look signs in and looks around.
func (l Looker) Look(ctx context.Context, m pool.Machine) (pool.Facts, error) {
	ports := []int{m.Port}
	if !slices.Contains(ports, securedPort) {
		ports = append(ports, securedPort)
	}
	conn, err := target.Dial(ctx, target.Machine{Address: m.Address, Ports: ports, Login: m.Login, HostKey: m.HostKey}, l.Runner.Key)
	if err != nil {
		return pool.Facts{}, inWords(err)
	}
	defer func() { _ = conn.Close() }() // nothing was written
	lines, err := conn.Output(ctx, lookAround, nil)
	if err != nil {
		return pool.Facts{}, inWords(err)
	}
	system, err := l.Runner.judge(lines)
	return pool.Facts{HostKey: conn.Key, System: system}, err
}

// judge reads what was found, and says what the machine lacks.
func (r *Runner) judge(lines []string) (string, error) {
	leastMemory, leastDisk := r.Rules.Memory.Or(leastMemory), r.Rules.Disk.Or(leastDisk)
	found := map[string]string{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		found[name] = value
	}
	memory, err1 := strconv.Atoi(found["memory"])
	disk, err2 := strconv.Atoi(found["disk"])
	release, err3 := strconv.ParseFloat(found["release"], 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return "", errors.New("The machine answers, but what it says of itself cannot be read.") //nolint:staticcheck // for people
	}
	least, known := releases[found["id"]]
	var lacks string
	switch {
	case !known || release < least:
		lacks = fmt.Sprintf("It runs %s. Debian 12 or newer, or Ubuntu 22.04 or newer, is needed.", found["name"])
	case found["init"] != "systemd":
		lacks = "It does not run systemd."
	case found["user"] != "root":
		lacks = "The user may not become root without a password."
	case found["wiping"] != "":
		lacks = "It has begun to wipe itself and did not end that: something of a former customer may be left. Install it anew."
	case memory>>10 < leastMemory:
		lacks = fmt.Sprintf("It has %d MB of memory. At least %d MB are needed.", memory>>10, leastMemory)
	case disk>>20 < leastDisk:
		lacks = fmt.Sprintf("It has %d GB of free disk. At least %d GB are needed.", disk>>20, leastDisk)
	default:
		return fmt.Sprintf("%s, %s CPU, %.1f GB, %d GB free", found["name"], found["cpus"], float64(memory)/(1<<20), disk>>20), nil
	}
	return "", errors.New(lacks)
}

// inWords is why a machine was not reached, for people.
func inWords(err error) error {
	err = reached(err)
	var refused *vpshost.RefusedError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, target.ErrUnreachable):
		//nolint:staticcheck // for people
		return errors.New("The machine does not answer over SSH. Check the address, the port and the provider's firewall.")
	}
	return err
}

// LastLog gives the last lines that agentd wrote on a machine, at most n.
func (r *Runner) LastLog(ctx context.Context, at target.Machine, n int) ([]string, error) {
	conn, err := target.Dial(ctx, at, r.Key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // nothing was written
	return conn.Output(ctx, `journalctl --unit=agentd --no-pager --output=cat --lines="$n"`, map[string]string{"n": strconv.Itoa(n)})
}
