package demo

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// invoices are twelve bills over half a year.
func invoices(today time.Time) []File {
	var all []File
	for i := range 12 {
		age := time.Duration(10+15*i) * day
		at := today.Add(-age)
		rolls, breads := 40+7*i, 6+i
		net := rolls*45 + breads*460
		tax := net * 7 / 100
		all = append(all, File{
			Path: fmt.Sprintf("invoices/%s-%03d.txt", at.Format("2006-01"), 212-i), Age: age,
			Body: text(
				fmt.Sprintf("Invoice %03d", 212-i), "Date:  "+at.Format("2 January 2006"), fmt.Sprintf("For:   customer %d", 1041+3*i), "",
				fmt.Sprintf("%3d wheat rolls   %s", rolls, euro(rolls*45)), fmt.Sprintf("%3d rye breads    %s", breads, euro(breads*460)), "",
				"Net               "+euro(net), "VAT 7 %           "+euro(tax), "Total             "+euro(net+tax), "", "Payable within 14 days."),
		})
	}
	return all
}

func euro(cents int) string { return fmt.Sprintf("%4d.%02d EUR", cents/100, cents%100) }

// orders are the last three months as the accountant wants them.
func orders(today time.Time) []File {
	var all []File
	for back := range 3 {
		first := time.Date(today.Year(), today.Month()-time.Month(back), 1, 0, 0, 0, 0, time.UTC)
		r := dice("orders", back)
		lines := []string{"date,customer,item,quantity,total_eur"}
		for d := first; d.Month() == first.Month() && d.Before(today); d = d.Add(day) {
			for range 2 + r.IntN(4) {
				n := 5 + r.IntN(60)
				lines = append(lines, fmt.Sprintf("%s,%d,wheat roll,%d,%d.%02d", d.Format(time.DateOnly), 1000+r.IntN(90), n, n*45/100, n*45%100))
			}
		}
		all = append(all, File{Path: "orders/orders-" + first.Format("2006-01") + ".csv", Age: time.Duration(30*back) * day, Body: text(lines...)})
	}
	return all
}

// logs are a week of what the web shop wrote.
func logs(today time.Time) []File {
	var all []File
	for back := 1; back <= 7; back++ {
		at := today.Add(-time.Duration(back) * day)
		r := dice("logs", back)
		var lines []string
		for at.Day() == today.Add(-time.Duration(back)*day).Day() {
			lines = append(lines, at.Format(time.RFC3339)+" "+happened(r))
			at = at.Add(time.Duration(60+r.IntN(600)) * time.Second)
		}
		all = append(all, File{Path: "logs/shop-" + today.Add(-time.Duration(back)*day).Format(time.DateOnly) + ".log", Age: time.Duration(back) * day, Body: text(lines...)})
	}
	return all
}

func happened(r *rand.Rand) string {
	switch n := r.IntN(40); {
	case n == 0:
		return "ERROR payment page did not answer within 10 s, order kept"
	case n < 3:
		return fmt.Sprintf("WARN stock of item %d below 5", 100+r.IntN(16))
	case n < 12:
		return fmt.Sprintf("INFO order %d placed, %d.%02d EUR", 20000+r.IntN(9000), 3+r.IntN(40), r.IntN(100))
	}
	return fmt.Sprintf("INFO page /item/%d %d ms", 100+r.IntN(16), 4+r.IntN(90))
}

// dice gives the same numbers for the same file on every server.
func dice(what string, n int) *rand.Rand {
	var seed uint64
	for _, c := range []byte(what) {
		seed = seed*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, uint64(n)+1)) //nolint:gosec // demo contents, not secrets
}
