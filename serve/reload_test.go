package serve

import (
	"reflect"
	"slices"
	"testing"

	"github.com/nasight/nasight/config"
)

// A section of the file is taken over by new collectors, or takes a restart, or is the evaluation's or the report's alone: none is forgotten.
func TestEverySectionIsTakenOver(t *testing.T) {
	evaluated := []string{"Providers", "Cloud", "Detection", "Alerting", "Report"} // the last is read anew with each look whether a report is due
	before := config.Default()
	sections := reflect.TypeFor[config.Config]()
	for i := range sections.NumField() {
		name, next := sections.Field(i).Name, config.Default()
		change(t, reflect.ValueOf(&next).Elem().Field(i))
		kept, notes := keepFixed(before, next)
		collects, fixed := collectsOtherwise(before, kept), len(notes) > 0
		if name == "Export" {
			if !collects || fixed || !pushesOtherwise(before, kept) { // a first push, of which a collector tells
				t.Errorf("%s changed: new collectors %v, notes %q, a new push %v", name, collects, notes, pushesOtherwise(before, kept))
			}
			continue
		}
		if want := slices.Contains(evaluated, name); want == (collects || fixed) || collects && fixed {
			t.Errorf("%s changed: new collectors %v, notes %q", name, collects, notes)
		}
	}
}

// change gives a value that is not the one before.
func change(t *testing.T, value reflect.Value) {
	t.Helper()
	switch value.Kind() {
	case reflect.Struct:
		change(t, value.Field(0))
	case reflect.String:
		value.SetString(value.String() + "x")
	case reflect.Slice:
		value.Set(reflect.Append(value, reflect.Zero(value.Type().Elem())))
	case reflect.Map:
		entries := reflect.MakeMap(value.Type())
		entries.SetMapIndex(reflect.Zero(value.Type().Key()), reflect.Zero(value.Type().Elem()))
		value.Set(entries)
	case reflect.Float64:
		value.SetFloat(value.Float() + 1)
	case reflect.Bool:
		value.SetBool(!value.Bool())
	default:
		value.SetInt(value.Int() + 1)
	}
}
