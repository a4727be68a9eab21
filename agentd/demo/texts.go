package demo

import (
	"fmt"
	"strings"
)

// texts are the notes and letters of the business, a small bakery with a café.
func texts() []File {
	return []File{
		{Path: "README.txt", Age: 400 * day, Body: text(
			"Files of the bakery", "",
			"invoices/  what we billed, one file each",
			"orders/    orders by month, for the accountant",
			"prices/    the price list that hangs in the shop",
			"notes/     everything else worth remembering",
			"letters/   drafts",
			"logs/      what the till and the web shop write",
			"tmp/       left behind by the scanner and the export; may be deleted when old")},
		{Path: "notes/opening-hours.txt", Age: 30 * day, Body: text(
			"Opening hours", "Monday to Friday 7:00 - 18:00", "Saturday 7:00 - 14:00", "Sunday and public holidays closed", "",
			"The café closes half an hour before the shop.")},
		{Path: "notes/to-do.txt", Age: 3 * day, Body: text(
			"- order flour (type 550, 20 bags) before the end of the month",
			"- oven 2: door seal, the technician comes on Thursday",
			"- ask the printer for 500 paper bags with the new logo",
			"- new price for rye bread from next month on")},
		{Path: "notes/suppliers.txt", Age: 90 * day, Body: text(
			"Flour:   the mill, delivers Tuesdays, minimum 10 bags",
			"Milk:    the dairy, daily before 6:00",
			"Coffee:  the roaster, monthly, last price rise in spring",
			"Paper:   the printer, two weeks ahead")},
		{Path: "notes/allergens.txt", Age: 200 * day, Body: text(
			"Wheat: all breads but the buckwheat loaf", "Milk:  croissant, brioche, cheesecake", "Egg:   brioche, cheesecake, lemon cake", "Nuts:  nut crescent, carrot cake")},
		{Path: "letters/newsletter-draft.md", Age: 12 * day, Body: text(
			"# What is new in the shop", "", "From Monday on we bake the rye bread with a longer rest. It stays fresh two days longer.", "",
			"The café has oat milk now, at no extra charge.")},
		{Path: "letters/reply-complaint.txt", Age: 45 * day, Body: text(
			"Dear customer,", "", "thank you for telling us. The cake should not have left the shop like that. We would like to bake you another one.", "", "The team of the bakery")},
	}
}

func text(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

func prices() File {
	items := []struct {
		name  string
		cents int
	}{
		{"Wheat roll", 45},
		{"Rye roll", 55},
		{"Pretzel", 95},
		{"Croissant", 160},
		{"Rye bread 750 g", 460},
		{"Wheat bread 750 g", 390},
		{"Spelt bread 500 g", 480},
		{"Buckwheat loaf 500 g", 590},
		{"Brioche", 220},
		{"Nut crescent", 210},
		{"Cheesecake, slice", 340},
		{"Lemon cake, slice", 310},
		{"Carrot cake, slice", 330},
		{"Espresso", 220},
		{"Cappuccino", 340},
		{"Tea, pot", 380},
	}
	lines := []string{"item,price_eur"}
	for _, i := range items {
		lines = append(lines, fmt.Sprintf("%s,%d.%02d", quoted(i.name), i.cents/100, i.cents%100))
	}
	return File{Path: "prices/price-list.csv", Age: 60 * day, Body: text(lines...)}
}

func quoted(s string) string {
	if strings.Contains(s, ",") {
		return `"` + s + `"`
	}
	return s
}
