package netcup

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/app/providers"
)

// What the API says, as far as the hub reads it.
type (
	listedServer struct {
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Hostname string `json:"hostname"`
		Nickname string `json:"nickname"`
		Disabled bool   `json:"disabled"`
		Template struct {
			Name string `json:"name"`
		} `json:"template"`
	}
	wholeServer struct {
		listedServer
		IPv4 []struct {
			IP string `json:"ip"`
		} `json:"ipv4Addresses"`
		Site struct {
			City string `json:"city"`
		} `json:"site"`
		Rescue bool      `json:"rescueSystemActive"`
		Live   *liveInfo `json:"serverLiveInfo"`
	}
	liveInfo struct {
		State string `json:"state"`
		UEFI  bool   `json:"uefi"`
		Disks []struct {
			Dev string `json:"dev"`
		} `json:"disks"`
	}
	task struct {
		UUID    string     `json:"uuid"`
		Name    string     `json:"name"`
		State   string     `json:"state"`
		Started *time.Time `json:"startedAt"`
		Message string     `json:"message"`
	}
)

// States of a task.
const (
	finished = "FINISHED"
	failed   = "ERROR"
	canceled = "CANCELED"
	undone   = "ROLLBACK"
)

// open says whether a task may still change something.
func (t task) open() bool {
	return !slices.Contains([]string{finished, failed, canceled, undone}, t.State)
}

const pageSize = 100

// Servers lists all machines in the account.
func (a *Account) Servers(ctx context.Context) ([]providers.Listed, error) {
	var all []providers.Listed
	for {
		var part []listedServer
		path := fmt.Sprintf("/servers?limit=%d&offset=%d", pageSize, len(all))
		if err := a.call(ctx, http.MethodGet, path, nil, &part); err != nil {
			return nil, err
		}
		for _, s := range part {
			all = append(all, s.listed())
		}
		if len(part) < pageSize {
			return all, nil
		}
	}
}

func (s listedServer) listed() providers.Listed {
	return providers.Listed{ID: s.ID, Name: s.Name, Called: cmp.Or(s.Nickname, s.Hostname), Product: s.Template.Name}
}

// Server says more of one machine.
func (a *Account) Server(ctx context.Context, id int64) (providers.Listed, error) {
	s, err := a.server(ctx, id)
	if err != nil {
		return providers.Listed{}, err
	}
	l := s.listed()
	l.Address, l.City, l.Region = s.address(), s.Site.City, regionOf(s.Site.City)
	return l, nil
}

func (a *Account) server(ctx context.Context, id int64) (s wholeServer, err error) {
	err = a.call(ctx, http.MethodGet, serverPath(id), nil, &s)
	return s, err
}

func serverPath(id int64) string { return "/servers/" + strconv.FormatInt(id, 10) }

// address is the first IPv4 address of a machine; empty when it has none.
func (s wholeServer) address() string {
	for _, a := range s.IPv4 {
		if ip, err := netip.ParseAddr(a.IP); err == nil && ip.Is4() {
			return ip.String()
		}
	}
	return ""
}

// cities are where netcup's machines stand, by region.
var cities = map[string]string{
	"nuremberg": "eu", "nürnberg": "eu", "karlsruhe": "eu", "vienna": "eu", "wien": "eu", "amsterdam": "eu", "manassas": "na",
}

func regionOf(city string) string { return cities[strings.ToLower(strings.TrimSpace(city))] }

// tasks lists the last tasks of a machine, newest first. One that was not started yet is newer than all that were.
func (a *Account) tasks(ctx context.Context, id int64) ([]task, error) {
	var all []task
	q := url.Values{"serverId": {strconv.FormatInt(id, 10)}, "limit": {"50"}}
	if err := a.call(ctx, http.MethodGet, "/tasks?"+q.Encode(), nil, &all); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(x, y task) int {
		switch {
		case x.Started == nil && y.Started == nil:
			return 0
		case x.Started == nil:
			return -1
		case y.Started == nil:
			return 1
		}
		return y.Started.Compare(*x.Started)
	})
	return all, nil
}

// noTask is the mark of a machine that nothing was ever begun on.
const noTask = "0"

// mark is where netcup's record of a machine stands: the newest of its tasks.
func (a *Account) mark(ctx context.Context, id int64) (string, error) {
	all, err := a.tasks(ctx, id)
	if err != nil || len(all) == 0 {
		return noTask, err
	}
	return all[0].UUID, nil
}

// since are the tasks that were begun on a machine since the mark, newest first.
func since(all []task, mark string) []task {
	if i := slices.IndexFunc(all, func(t task) bool { return t.UUID == mark }); i >= 0 {
		return all[:i]
	}
	return all
}
