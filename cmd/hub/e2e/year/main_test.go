package year

import (
	"testing"

	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
