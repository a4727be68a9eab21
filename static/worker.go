package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// Addresses that stay the same whatever stands there: browsers ask for them again.
const (
	WorkerPath   = "/sw.js"                // the service worker, at the top so that it may serve all of /app
	ManifestPath = "/manifest.webmanifest" // what an installed app is called and looks like
	OfflinePath  = "/offline"              // the page that the service worker shows where there is no way to the hub
)

// worker is the service worker behind the list of what it may keep: the offline page and the files that it needs.
func worker() []byte {
	kept := []string{OfflinePath, Path("app.css"), Path("app.js"), Path("private.js"), Path("favicon.svg"), Path("sprite.svg")}
	body := bare(read("js/worker.js"))
	sum := sha256.Sum256(slices.Concat(lines(kept), body))
	var b bytes.Buffer
	for _, c := range []struct {
		name  string
		value any
	}{
		{"offline", OfflinePath},
		{"files", kept},
		{"store", "gatehouse-" + base64.RawURLEncoding.EncodeToString(sum[:9])},
		{"icon", Path("icon-192.png")},
		{"badge", Path("badge-96.png")},
	} {
		v, _ := json.Marshal(c.value) // strings always have JSON
		b.WriteString("const " + c.name + " = " + string(v) + ";\n")
	}
	b.Write(body)
	return b.Bytes()
}

func lines(all []string) (out []byte) {
	for _, s := range all {
		out = append(out, s+"\n"...)
	}
	return out
}

// icon is one picture of the app in the manifest.
type icon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

// manifest is what an installed app is called and looks like. Its id stays, so that it remains the same app.
func manifest() []byte {
	b, _ := json.Marshal(struct { // texts always have JSON
		ID         string `json:"id"`
		Name       string `json:"name"`
		ShortName  string `json:"short_name"`
		Start      string `json:"start_url"`
		Scope      string `json:"scope"`
		Display    string `json:"display"`
		Background string `json:"background_color"`
		Theme      string `json:"theme_color"`
		Icons      []icon `json:"icons"`
	}{
		ID: "/app", Name: "Gatehouse", ShortName: "Gatehouse", Start: "/app", Scope: "/", Display: "standalone",
		Background: "#f7f7f5", Theme: "#2446b8",
		Icons: []icon{
			{Src: Path("icon-192.png"), Sizes: "192x192", Type: "image/png"},
			{Src: Path("icon-512.png"), Sizes: "512x512", Type: "image/png"},
			{Src: Path("maskable-512.png"), Sizes: "512x512", Type: "image/png", Purpose: "maskable"},
			{Src: Path("favicon.svg"), Sizes: "any", Type: "image/svg+xml"},
		},
	})
	return b
}
