package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"gatehouse/app/web"
)

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	spec, err := openapi3.NewLoader().LoadFromData(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := spec.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestOpenAPI_listsTheRoutes: what is described exists, and what exists is described.
func TestOpenAPI_listsTheRoutes(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for path, item := range load(t).Paths.Map() {
		for method := range item.Operations() {
			described[method+" "+path] = true
		}
	}
	for _, r := range Routes(Deps{}) {
		if r.Path == "/api/openapi.json" {
			continue
		}
		key := r.Method + " " + brace(strings.TrimPrefix(r.Path, root))
		if !described[key] {
			t.Errorf("%s is not described", key)
		}
		delete(described, key)
	}
	delete(described, "POST /tenant/register") // a route of agentlink
	for key := range described {
		t.Errorf("%s is described, but is no route", key)
	}
}

// unkept are the POSTs of which nothing is kept, so that they take no Idempotency-Key.
var unkept = []string{"/customer/echo", "/admin/servers/{id}/support-windows/{window}/looks"}

// TestOpenAPI_posts: every POST of which something may be kept takes an Idempotency-Key, and no body but that of echo takes fields
// that are not described.
func TestOpenAPI_posts(t *testing.T) {
	t.Parallel()
	n := 0
	for path, item := range load(t).Paths.Map() {
		if item.Post == nil {
			continue
		}
		n++
		if takes := item.Post.Parameters.GetByInAndName("header", "Idempotency-Key") != nil; takes == slices.Contains(unkept, path) {
			t.Errorf("POST %s takes an Idempotency-Key: %t", path, takes)
		}
		if item.Post.RequestBody == nil || path == "/customer/echo" {
			continue
		}
		open := item.Post.RequestBody.Value.Content.Get("application/json").Schema.Value.AdditionalProperties.Has
		if open == nil || *open {
			t.Errorf("POST %s does not say that it takes no other fields", path)
		}
	}
	if n < 5 {
		t.Errorf("only %d POST routes are described", n)
	}
}

// brace turns :name into {name}.
func brace(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

func TestRoutes_needTokens(t *testing.T) {
	t.Parallel()
	for _, r := range Routes(Deps{}) {
		if strings.HasPrefix(r.Path, root) && r.For != web.CustomerToken && r.For != web.StaffToken {
			t.Errorf("%s %s is for %s", r.Method, r.Path, r.For)
		}
	}
}
