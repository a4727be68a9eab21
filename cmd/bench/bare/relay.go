package bare

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Addr names the variable that tells the agent where its hub is.
const Addr = "GATEHOUSE_BENCH_ADDR"

// EchoPath is what the hub sends round, and linkPath where its agent connects.
const (
	EchoPath = "/api/v1/customer/echo"
	linkPath = "/link"
)

// startLimit is how long NATS and the agent's connection may take.
const startLimit = 10 * time.Second

// serveHub passes what is posted to the agent and back: request, NATS, websocket.
func serveHub(ctx context.Context) error {
	inside, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true})
	if err != nil {
		return err
	}
	inside.Start()
	if !inside.ReadyForConnections(startLimit) {
		return errors.New("NATS did not start")
	}
	nc, err := nats.Connect("", nats.InProcessServer(inside))
	if err != nil {
		return err
	}
	e := echo.New()
	e.GET(linkPath, func(c echo.Context) error {
		ws, err := websocket.Accept(c.Response(), c.Request(), nil)
		if err != nil {
			return err
		}
		return bridge(context.WithoutCancel(c.Request().Context()), nc, ws)
	})
	e.POST(EchoPath, func(c echo.Context) error {
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		back, err := nc.RequestWithContext(c.Request().Context(), "server.ask", body)
		if err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, back.Data)
	})
	return listen(ctx, e)
}

// bridge sends what NATS brings over the websocket, each with a number of its own, and answers with what comes back.
func bridge(ctx context.Context, nc *nats.Conn, ws *websocket.Conn) error {
	var asked sync.Map
	var serial atomic.Int64
	sub, err := nc.Subscribe("server.ask", func(m *nats.Msg) {
		n := strconv.FormatInt(serial.Add(1), 10)
		asked.Store(n, m)
		_ = ws.Write(ctx, websocket.MessageText, append([]byte(n+" "), m.Data...)) // a lost one shows as no answer
	})
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the process ends anyway
	if err := errors.Join(nc.Flush(), ws.Write(ctx, websocket.MessageText, []byte("subscribed"))); err != nil {
		return err
	}
	for {
		_, raw, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		n, body := cutNumber(raw)
		if m, ok := asked.LoadAndDelete(n); ok {
			if err := m.(*nats.Msg).Respond(body); err != nil {
				return err
			}
		}
	}
}

// cutNumber parts a message from its number.
func cutNumber(raw []byte) (n string, body []byte) {
	for i, b := range raw {
		if b == ' ' {
			return string(raw[:i]), raw[i+1:]
		}
	}
	return string(raw), nil
}

// serveAgent connects to the control's hub and sends back whatever comes.
func serveAgent(ctx context.Context) error {
	dialing, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	ws, _, err := websocket.Dial(dialing, "ws://"+os.Getenv(Addr)+linkPath, nil) //nolint:bodyclose // the connection owns it
	if err != nil {
		return err
	}
	if _, _, err := ws.Read(dialing); err != nil { // the hub has subscribed
		return err
	}
	if _, err := os.Stdout.WriteString("connected\n"); err != nil {
		return err
	}
	for {
		kind, raw, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		if err := ws.Write(ctx, kind, raw); err != nil {
			return err
		}
	}
}
