package dnstest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the database of a PowerDNS server is made with it
)

// Key is the key of the servers' API.
const Key = "loopback-api-key"

// Pair is two authoritative servers of the same zones that know nothing of each other, so that one can lag. Both listen on the same
// port, at 127.0.0.1 and 127.0.0.2.
type Pair struct {
	Port    string
	Servers [2]*PowerDNS
}

// PowerDNS is one server.
type PowerDNS struct {
	API string // where its HTTP API is
	cmd *exec.Cmd
	log string
	end chan struct{}
}

const tries = 5 // a port that was free may be taken by somebody else a moment later

// StartPair starts two servers in dir.
func StartPair(ctx context.Context, dir string) (*Pair, error) {
	var errs []error
	for n := range tries {
		p, err := startPair(ctx, filepath.Join(dir, fmt.Sprintf("try-%d", n)))
		if err == nil {
			return p, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func startPair(ctx context.Context, dir string) (*Pair, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &Pair{Port: port}
	for i := range p.Servers {
		p.Servers[i], err = start(ctx, filepath.Join(dir, fmt.Sprintf("ns%d", i+1)), fmt.Sprintf("127.0.0.%d", i+1), port)
		if err != nil {
			p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// Stop ends both servers.
func (p *Pair) Stop() {
	for _, s := range p.Servers {
		if s != nil {
			s.Stop()
		}
	}
}

// Resolver is a server that knows which servers are authoritative for the pair's zones.
func (p *Pair) Resolver() string { return "127.0.0.1:" + p.Port }

// AddZone makes a zone on both servers, with both as its name servers.
func (p *Pair) AddZone(ctx context.Context, zone string) error {
	for _, s := range p.Servers {
		err := s.call(ctx, http.MethodPost, "/zones", map[string]any{
			"name": zone + ".", "kind": "Native", "nameservers": []string{"ns1." + zone + ".", "ns2." + zone + "."},
		})
		if err != nil {
			return err
		}
		for i := range p.Servers {
			if err := s.Set(ctx, zone, fmt.Sprintf("ns%d.%s", i+1, zone), "A", fmt.Sprintf("127.0.0.%d", i+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Set makes a name's records of one type on both servers; without values it takes them away.
func (p *Pair) Set(ctx context.Context, zone, name, kind string, values ...string) error {
	for _, s := range p.Servers {
		if err := s.Set(ctx, zone, name, kind, values...); err != nil {
			return err
		}
	}
	return nil
}

// Set makes a name's records of one type on this server alone; without values it takes them away.
func (s *PowerDNS) Set(ctx context.Context, zone, name, kind string, values ...string) error {
	change, records := "REPLACE", []map[string]any{}
	if len(values) == 0 {
		change = "DELETE"
	}
	for _, v := range values {
		if kind == "CNAME" {
			v = strings.TrimSuffix(v, ".") + "."
		}
		records = append(records, map[string]any{"content": v, "disabled": false})
	}
	return s.call(ctx, http.MethodPatch, "/zones/"+zone+".", map[string]any{"rrsets": []any{
		map[string]any{"name": name + ".", "type": kind, "ttl": 60, "changetype": change, "records": records},
	}})
}

func (s *PowerDNS) call(ctx context.Context, method, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.API+"/api/v1/servers/localhost"+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("X-Api-Key", Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: HTTP %d %s: %w", method, path, resp.StatusCode, said, err)
	}
	return nil
}

// Stop ends the server.
func (s *PowerDNS) Stop() {
	_ = s.cmd.Process.Kill()
	<-s.end
}

// start runs a server with a database of its own until Stop.
func start(ctx context.Context, dir, address, port string) (*PowerDNS, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "pdns.sqlite3")
	if err := makeDatabase(ctx, data); err != nil {
		return nil, err
	}
	api, err := freePort()
	if err != nil {
		return nil, err
	}
	bin, err := find("pdns_server")
	if err != nil {
		return nil, err
	}
	s := &PowerDNS{API: "http://127.0.0.1:" + api, log: filepath.Join(dir, "log"), end: make(chan struct{})}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	s.cmd = exec.Command(bin, "--config-dir="+dir, "--socket-dir="+dir, "--launch=gsqlite3", "--gsqlite3-database="+data,
		"--gsqlite3-pragma-synchronous=0", "--local-address="+address, "--local-port="+port, "--daemon=no", "--guardian=no", "--api=yes",
		"--api-key="+Key, "--webserver=yes", "--webserver-address=127.0.0.1", "--webserver-port="+api,
		"--cache-ttl=0", "--query-cache-ttl=0", "--negquery-cache-ttl=0",
		"--zone-cache-refresh-interval=0", "--receiver-threads=1", "--distributor-threads=1")
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.end)
	}()
	if err := s.ready(ctx); err != nil {
		s.Stop()
		said, _ := os.ReadFile(s.log)
		return nil, fmt.Errorf("PowerDNS did not start: %w\n%s", err, said)
	}
	return s, nil
}

// ready waits until the API answers.
func (s *PowerDNS) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.call(ctx, http.MethodGet, "/zones", nil)
		if err == nil {
			return nil
		}
		select {
		case <-s.end:
			return errors.New("it ended by itself")
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// makeDatabase makes the tables that the distribution's schema says.
func makeDatabase(ctx context.Context, path string) (err error) {
	schema, err := os.ReadFile("/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql")
	if errors.Is(err, os.ErrNotExist) {
		schema, err = os.ReadFile("/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql") // where documents are not installed
	}
	if err != nil {
		return err
	}
	d, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	_, err = d.ExecContext(ctx, string(schema))
	return err
}

// find looks for a program of the system, also where a person's PATH does not.
func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	path := "/usr/sbin/" + name
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not installed: run .ci/setup test", name)
	}
	return path, nil
}

// freePort finds a port that is free at both addresses, for UDP and TCP.
func freePort() (string, error) {
	for range 20 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		free := l.Close() == nil && isFree(net.JoinHostPort("127.0.0.1", port)) && isFree(net.JoinHostPort("127.0.0.2", port))
		if free {
			return port, nil
		}
	}
	return "", errors.New("no free port")
}

func isFree(at string) bool {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return false
	}
	u, err := net.ListenPacket("udp", at)
	if err == nil {
		err = u.Close()
	}
	return errors.Join(err, l.Close()) == nil && !strings.HasSuffix(at, ":0")
}
