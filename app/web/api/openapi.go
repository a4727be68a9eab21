package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"
	"gopkg.in/yaml.v3"
)

//go:embed openapi.yaml
var openapiYAML []byte

// document is openapi.yaml as JSON.
var document = sync.OnceValues(func() ([]byte, error) {
	var tree map[string]any
	if err := yaml.Unmarshal(openapiYAML, &tree); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return json.Marshal(tree)
})

// openapi answers GET /api/openapi.json: the description of this API.
func openapi(c echo.Context) error {
	doc, err := document()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, doc)
}
