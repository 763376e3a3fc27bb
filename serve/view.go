package serve

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
	"unicode"
)

// plain turns the typed view into what the API prints: maps and lists with names_like_this instead of Go's, a missing
// value as null, a list without elements as [], and a duration as seconds, said by its name.
func plain(v reflect.Value) any {
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	}
	if v.CanInterface() {
		switch value := v.Interface().(type) {
		case time.Duration:
			return value.Seconds()
		case json.Marshaler:
			return value
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		return plainStruct(v)
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	case reflect.Map:
		entries := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			entries[key.String()] = plain(v.MapIndex(key))
		}
		return entries
	}
	return v.Interface()
}

func plainStruct(v reflect.Value) any {
	object := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = underscored(field.Name)
		}
		if field.Type == reflect.TypeFor[time.Duration]() {
			name += "_seconds"
		}
		object[name] = plain(v.Field(i))
	}
	return object
}

// underscored turns LowestRTT into lowest_rtt and NConnect into nconnect.
func underscored(name string) string {
	var out strings.Builder
	letters := []rune(name)
	for i, letter := range letters {
		if unicode.IsUpper(letter) && i > 1 {
			afterSmall := unicode.IsLower(letters[i-1])
			startsWord := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if afterSmall || startsWord {
				out.WriteByte('_')
			}
		}
		out.WriteRune(unicode.ToLower(letter))
	}
	return out.String()
}
