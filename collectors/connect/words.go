package connect

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// longestSaid bounds what is repeated of a service's words, in characters.
const longestSaid = 240

// Said is what a service said, quoted, in one line of bounded length; empty for nothing.
func Said(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if short := []rune(text); len(short) > longestSaid {
		text = string(short[:longestSaid]) + "…"
	}
	if text == "" {
		return ""
	}
	return strconv.Quote(text)
}

// Count is a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Few lists the first names and counts the rest.
func Few(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// CauseUntried is the cause of a check that there was no time for.
const CauseUntried = "out_of_time"

// Untried is the check of what there was no time for, once ctx has ended.
func Untried(ctx context.Context, name, on string) Check {
	check := Check{Name: name, On: on, Status: Failed, Cause: CauseUntried, Says: "not tried: out of time", Do: "give more --timeout"}
	if errors.Is(ctx.Err(), context.Canceled) {
		check.Says, check.Do = "not tried: interrupted", ""
	}
	return check
}
