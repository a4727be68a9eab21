package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse/agentd/container"
	"gatehouse/agentd/container/filter"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/sandbox"
)

// containerSettings are the variables that agentd containers reads.
type containerSettings struct {
	Engine string `env:"AGENTD_ENGINE_SOCKET" help:"containers: socket of the container engine itself (default /var/run/docker.sock)"`
	Socket string `env:"AGENTD_CONTAINERS_SOCKET" help:"containers: socket for agentd (default /run/agentd-containers/engine.sock)"`
	Agentd string `env:"AGENTD_CONTAINERS_USER" help:"containers: user that agentd runs as (default: the own one)"`
	Level  string `env:"LOG_LEVEL" envDefault:"info"`
}

const defaultContainersSocket = "/run/agentd-containers/engine.sock"

// containersFilter is "agentd containers".
func containersFilter(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	s := containerSettings{Engine: container.DefaultSocket, Socket: defaultContainersSocket}
	if err := env.Parse(&s); err != nil {
		return fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	if _, err := level(s.Level); err != nil {
		return fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	agentd, err := userID(s.Agentd)
	if err != nil {
		return fmt.Errorf("%w: AGENTD_CONTAINERS_USER: %w", errUsage, err)
	}
	if err := sandbox.Harden(); err != nil {
		return fmt.Errorf("hide this process's memory: %w", err)
	}
	mode := socket.Own
	if agentd != os.Geteuid() {
		mode = socket.Shared
	}
	l, err := socket.Listen(ctx, s.Socket, mode)
	if err != nil {
		return err
	}
	log := logger(c.errOut, s.Level)
	log.InfoContext(ctx, "the filter before the container engine is ready", "socket", s.Socket, "engine", s.Engine)
	return serveContainers(ctx, only{l, agentd, log}, filter.New(s.Engine, log))
}

// serveContainers answers until ctx ends; what was asked until then is answered.
func serveContainers(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 8 << 10}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := srv.Shutdown(rest)
	if serve := <-ended; !errors.Is(serve, http.ErrServerClosed) {
		err = errors.Join(err, serve)
	}
	return err
}

// only is a listener that lets one user in: the kernel says who calls.
type only struct {
	net.Listener
	user int
	log  *slog.Logger
}

func (o only) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil {
			return nil, err
		}
		u, ok := c.(*net.UnixConn)
		if ok && socket.PeerUID(u) == o.user {
			return c, nil
		}
		o.log.Warn("another user was turned away")
		_ = c.Close() // it is of no use to anybody
	}
}
