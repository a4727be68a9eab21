package static

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"mime"
	"path"
	"strings"
	"sync"
)

//go:embed app.css public.css app.js sprite.svg favicon.svg vendor/*.js
var files embed.FS

// Prefix is where the assets are served.
const Prefix = "/assets/"

// sources says which files an asset is joined from, in this order.
var sources = map[string][]string{
	"app.css":     {"app.css", "public.css"},
	"app.js":      {"vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js", "app.js"},
	"sprite.svg":  {"sprite.svg"},
	"favicon.svg": {"favicon.svg"},
}

// asset is one file as it is served.
type asset struct {
	hashed string // app.2f9c….css
	mime   string
	body   []byte
	packed func() packed // compressed forms, made on first use
}

var assets = sync.OnceValue(func() map[string]*asset {
	all := make(map[string]*asset, len(sources))
	for name, parts := range sources {
		body := join(parts)
		all[name] = &asset{
			hashed: hashedName(name, body),
			mime:   mime.TypeByExtension(path.Ext(name)),
			body:   body,
			packed: sync.OnceValue(func() packed { return pack(body) }),
		}
	}
	return all
})

// Path is the address of an asset, to be put into a page: Path("app.css"). An asset that does not exist has an address
// that answers 404, as a link to any missing file would.
func Path(name string) string {
	if a, ok := assets()[name]; ok {
		return Prefix + a.hashed
	}
	return Prefix + name
}

// join reads parts; a line break between them keeps one script's last line from running into the next.
func join(parts []string) []byte {
	var out []byte
	for _, p := range parts {
		b, err := files.ReadFile(p)
		if err != nil {
			panic("static: " + err.Error()) // cannot happen: the files are compiled in
		}
		out = append(append(out, b...), '\n')
	}
	return out
}

// hashedName puts the content's hash between name and ending.
func hashedName(name string, body []byte) string {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + base64.RawURLEncoding.EncodeToString(sum[:9]) + ext
}
