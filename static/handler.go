package static

import (
	"bytes"
	"net/http"
	"strings"
	"time"
)

// Handler serves the assets below Prefix, and what stays at one address. A name that carries another hash than the current
// one is not found: a page of an older version must not run with a script of a newer one.
func Handler() http.Handler {
	lasting := map[string]*asset{
		WorkerPath:   newAsset("sw.js", "text/javascript; charset=utf-8", worker()),
		ManifestPath: newAsset("manifest.webmanifest", "application/manifest+json", manifest()),
	}
	byName := make(map[string]*asset, len(assets()))
	for _, a := range assets() {
		a.packed() // at start-up, not in front of the first reader
		byName[a.hashed] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a, ok := lasting[r.URL.Path]; ok {
			a.serve(w, r, "no-cache")
			return
		}
		a, ok := byName[strings.TrimPrefix(r.URL.Path, Prefix)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r, "public, max-age=31536000, immutable")
	})
}

// serve answers with the asset; cache says how long it may be kept.
func (a *asset) serve(w http.ResponseWriter, r *http.Request, cache string) {
	head := w.Header()
	head.Set("Content-Type", a.mime)
	head.Set("Cache-Control", cache)
	head.Set("Vary", "Accept-Encoding")
	body, encoding := a.choose(r.Header.Get("Accept-Encoding"))
	head.Set("ETag", `"`+a.hashed+encoding+`"`)
	if encoding != "" {
		head.Set("Content-Encoding", encoding)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// choose picks the smallest form that the browser takes.
func (a *asset) choose(accept string) (body []byte, encoding string) {
	p := a.packed()
	switch {
	case takes(accept, "br"):
		return p.br, "br"
	case takes(accept, "gzip"):
		return p.gz, "gzip"
	}
	return a.body, ""
}

// takes says whether an Accept-Encoding header names coding and does not forbid it.
func takes(accept, coding string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q := strings.ReplaceAll(params, " ", "")
			return q != "q=0" && !strings.HasPrefix(q, "q=0.000")
		}
	}
	return false
}
