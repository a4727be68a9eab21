package targettest

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
)

// serveMirrors lets machines fetch packages from this computer's own mirrors, and nothing else.
func serveMirrors(ln net.Listener) (*http.Server, error) {
	all, err := mirrors()
	if err != nil {
		return nil, err
	}
	var hosts []string
	for _, m := range all {
		if u, err := url.Parse(m); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !slices.Contains(hosts, r.URL.Host) {
			http.Error(w, "only packages", http.StatusForbidden)
			return
		}
		forward(w, r)
	})}
	go func() { _ = srv.Serve(ln) }() // ends with the machine
	return srv, nil
}

func forward(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body) // a broken copy is seen by who reads it
}
