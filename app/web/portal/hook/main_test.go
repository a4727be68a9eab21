package hook_test

import (
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }
