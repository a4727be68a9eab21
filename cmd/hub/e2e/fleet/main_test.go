package fleet

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
