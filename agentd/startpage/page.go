package startpage

import (
	"context"
	"errors"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"
)

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{{.}}</title>
<style>
body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1.5rem}
h1{font-size:1.6rem;overflow-wrap:anywhere}
</style>
<main>
<h1>{{.}}</h1>
<p>This server is ready. Its tools will be found under this name.</p>
</main>
</html>
`))

// Handler answers with the page of the server of that name, and nothing else.
func Handler(name string) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		_ = page.Execute(w, name) // who has gone needs no page
	})
	return m
}

// Serve answers on a unix socket that any process of the machine may use, until ctx ends. A socket that an earlier run left is replaced.
func Serve(ctx context.Context, socket string, h http.Handler) error {
	return serve(ctx, socket, h, func() {})
}

// serve is Serve that says when it listens.
func serve(ctx context.Context, socket string, h http.Handler, ready func()) error {
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return err
	}
	if err := os.Chmod(socket, 0o666); err != nil { //nolint:gosec // the web server is another user, and the page is for everybody
		return errors.Join(err, l.Close())
	}
	ready()
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	over := context.AfterFunc(ctx, func() { _ = srv.Close() }) // nothing is under way that somebody would miss
	defer over()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
