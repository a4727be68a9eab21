package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	traffic "gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/admin"
	"gatehouse/app/web/session"
	"gatehouse/db"
	"gatehouse/static"
)

func logLines() Figure {
	return Figure{
		Name: "log_lines_s", Unit: "1/s", Goal: 5000, More: true, Fsync: true, Once: true, Take: takeLogLines,
		How: "lines a second of one order's log, written in batches of 500 as a worker does and followed by three open pages of the " +
			"console, until the last page has the last line; the hub's code and its pages in this process, on a database of its own, " +
			"over HTTP. Each page gets each line once, in order",
	}
}

const (
	followers  = 3
	batchLines = 500
)

// console is the hub's pages for our staff, served on loopback.
type console struct {
	url    string
	cookie string
	orders *order.Service
	order  order.Order
	server *http.Server
	live   *traffic.Relay
}

// told has open pages hear of changes.
type told struct {
	quiet
	live *traffic.Relay
}

// OrderChanged tells the pages of an order.
func (t told) OrderChanged(_ context.Context, of account.CustomerID, id order.ID) {
	_ = t.live.Notify(traffic.Notice{Kind: traffic.KindOrder, CustomerID: string(of), ID: string(id)}) // pages look again by themselves
}

// openConsole serves the pages, with an order in progress and somebody of our staff who is signed in.
func openConsole(ctx context.Context, d *db.DB) (*console, error) {
	log := slog.New(slog.DiscardHandler)
	c := &console{}
	var err error
	if c.live, err = traffic.Open(traffic.Options{}); err != nil {
		return nil, err
	}
	if err := c.open(ctx, d, log); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *console) open(ctx context.Context, d *db.DB, log *slog.Logger) error {
	people := &account.Service{Store: &db.Accounts{DB: d, Jobs: noJobs{}}, Now: time.Now}
	c.orders = &order.Service{Store: &db.Orders{DB: d, Jobs: noJobs{}}, Accounts: people, Notify: told{live: c.live}, Now: time.Now}
	owners, err := newcomers(ctx, d, 1)
	if err != nil {
		return err
	}
	if c.order, err = c.orders.Create(ctx, owners[0].CustomerID, owners[0], order.Choice{Plan: "build"}); err != nil {
		return err
	}
	keys, err := db.NewKeyring(make([]byte, 32))
	if err != nil {
		return err
	}
	staffs := &staff.Service{
		Store: &db.Staff{DB: d, Keys: keys, Jobs: noJobs{}}, Hasher: account.NewHasher(),
		Tries: account.NewTries(10, time.Minute, time.Now), Now: time.Now,
	}
	who := staff.NewMember{Email: "clerk@example.com", Role: staff.Support, Password: "three quiet bakers at dawn"}
	clerk, _, err := staffs.Create(ctx, who, audit.Itself)
	if err != nil {
		return err
	}
	desk := signin.Desk{Store: &db.Signins{DB: d}, Now: time.Now}
	_, secret, err := desk.Open(ctx, signin.Staff, signin.Subject{StaffID: string(clerk.ID)}, signin.Origin{Address: "127.0.0.1"}, "")
	if err != nil {
		return err
	}
	c.cookie = "ssid=" + secret
	h := &admin.Handler{
		Staff: staffs, Sessions: session.New(desk, nil, false), Orders: c.orders, Accounts: people, Live: c.live, Now: time.Now, Log: log,
		Servers: &server.Service{Store: &db.Servers{DB: d}, Notify: quiet{}, Now: time.Now},
		Inbox:   &approval.Service{Store: &db.Approvals{DB: d}, Now: time.Now, Log: log},
		Setups:  &db.Setups{DB: d, Now: time.Now},
		Names: &naming.Service{
			Orders: c.orders, Store: &db.Names{DB: d}, Provider: naming.Loopback, Record: &db.Trail{DB: d}, Notify: quiet{},
			Now: time.Now, Log: log,
		},
	}
	return c.serve(ctx, h, d, log)
}

func (c *console) serve(ctx context.Context, h *admin.Handler, d *db.DB, log *slog.Logger) error {
	door, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c.url = "http://" + door.Addr().String()
	edge, err := web.New(web.Config{Addr: door.Addr().String(), PublicURL: c.url}, web.Deps{
		Sessions: h.Sessions, Static: static.Handler(), Ready: d.PingContext, Now: time.Now, Log: log, Metrics: prometheus.NewRegistry(),
	}, h.Routes()...)
	if err != nil {
		return errors.Join(err, door.Close())
	}
	c.server = web.NewServer(edge).Server
	go func() { _ = c.server.Serve(door) }() // ends with close
	return nil
}

func (c *console) close() error {
	var err error
	if c.server != nil {
		err = c.server.Close()
	}
	c.live.Close()
	return err
}

// lineText stands before the number of a line in a page.
const lineText = `<span class="text">line `

// follow reads the stream of the order's page until it has n lines, each once and in order. ready is called when the page is there.
func (c *console) follow(ctx context.Context, n int, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	at := c.url + "/admin/stream?topic=order&id=" + string(c.order.ID)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Cookie", c.cookie)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // nobody reads on
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the page of an order: %d", res.StatusCode)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	next, begun := 1, false
	for lines.Scan() {
		if !begun && lines.Text() == "" { // the page as it was when it was opened
			begun = true
			ready()
		}
		for _, rest, found := bytes.Cut(lines.Bytes(), []byte(lineText)); found; _, rest, found = bytes.Cut(rest, []byte(lineText)) {
			if number, _, _ := bytes.Cut(rest, []byte("<")); string(number) != strconv.Itoa(next) {
				return fmt.Errorf("line %s came where line %d was due", number, next)
			}
			next++
		}
		if next > n {
			return nil
		}
	}
	return fmt.Errorf("the page ended at line %d: %w", next, errors.Join(lines.Err(), ctx.Err()))
}

func takeLogLines(ctx context.Context, s *Stage) (r Run, err error) {
	d, done, err := s.aside(ctx, "log_lines")
	if err != nil {
		return Run{}, fmt.Errorf("prepare a database: %w", err)
	}
	defer done()
	c, err := openConsole(ctx, d)
	if err != nil {
		return Run{}, fmt.Errorf("prepare pages: %w", err)
	}
	defer func() { err = errors.Join(err, c.close()) }()
	n := s.count(60_000, 1000)
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	g, within := errgroup.WithContext(ctx)
	open := make(chan struct{}, followers)
	for range followers {
		g.Go(func() error { return c.follow(within, n, func() { open <- struct{}{} }) })
	}
	for range followers {
		select {
		case <-open:
		case <-within.Done():
			return Run{}, errors.Join(within.Err(), g.Wait())
		}
	}
	begun := time.Now()
	g.Go(func() error { return c.write(within, n) })
	if err := g.Wait(); err != nil {
		return Run{}, err
	}
	return Run{Value: float64(n) / time.Since(begun).Seconds(), N: n}, nil
}

// write adds n lines, batch by batch.
func (c *console) write(ctx context.Context, n int) error {
	for i := 0; i < n; i += batchLines {
		batch := make([]order.Line, batchLines)
		for k := range batch {
			batch[k] = order.Line{At: time.Now().UTC(), Text: "line " + strconv.Itoa(i+k+1)}
		}
		if err := c.orders.Append(ctx, c.order, batch); err != nil {
			return err
		}
	}
	return nil
}
