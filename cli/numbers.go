package cli

import (
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"

	"github.com/nasight/nasight/internal/numerals"
)

// Numbers has flags read numbers and times as the configuration does: in plain digits, finite, times with a unit from ms to w.
func Numbers() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		for _, option := range []kong.Option{
			kong.KindMapper(reflect.Int, number(func(text string, into reflect.Value) error {
				value, err := numerals.Whole(text, into.Type().Bits())
				into.SetInt(value)
				return err
			})),
			kong.KindMapper(reflect.Uint64, number(func(text string, into reflect.Value) error {
				value, err := numerals.Unsigned(text, into.Type().Bits())
				into.SetUint(value)
				return err
			})),
			kong.KindMapper(reflect.Float64, number(func(text string, into reflect.Value) error {
				value, err := numerals.Real(text)
				into.SetFloat(value)
				return err
			})),
			kong.TypeMapper(reflect.TypeFor[time.Duration](), number(func(text string, into reflect.Value) error {
				value, err := numerals.Duration(text)
				into.SetInt(int64(value))
				return err
			})),
		} {
			if err := option.Apply(k); err != nil {
				return fmt.Errorf("read numbers of flags: %w", err)
			}
		}
		return nil
	})
}

// number reads one value of the command line, or of the environment.
func number(read func(text string, into reflect.Value) error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("number")
		if err != nil {
			return err
		}
		return read(fmt.Sprint(token.Value), target)
	}
}
