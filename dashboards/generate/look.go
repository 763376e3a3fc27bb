package main

import (
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	panelstat "github.com/grafana/grafana-foundation-sdk/go/stat"
	paneltable "github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

func decimal(n int) string { return strconv.Itoa(n) }

// newest is the last value, whatever else the answer holds.
func newest() common.ReduceDataOptions {
	return common.ReduceDataOptions{Calcs: []string{"lastNotNull"}, Values: new(false), Fields: new("")}
}

// options are how the panel's type shows things.
func (p panel) options() any {
	switch p.kind {
	case stat:
		return panelstat.Options{
			GraphMode: common.BigValueGraphModeNone, ColorMode: common.BigValueColorModeValue, JustifyMode: common.BigValueJustifyModeAuto,
			TextMode: common.BigValueTextModeValue, WideLayout: true, ReduceOptions: newest(),
			PercentChangeColorMode: common.PercentChangeColorModeStandard, Orientation: common.VizOrientationAuto,
		}
	case bars:
		return bargauge.Options{
			DisplayMode: common.BarGaugeDisplayModeBasic, ValueMode: common.BarGaugeValueModeColor, NamePlacement: common.BarGaugeNamePlacementLeft,
			ShowUnfilled: true, Sizing: common.BarGaugeSizingAuto, MinVizWidth: 8, MinVizHeight: 16, MaxVizHeight: 300,
			ReduceOptions: newest(), Orientation: common.VizOrientationHorizontal,
			Legend: common.VizLegendOptions{DisplayMode: common.LegendDisplayModeList, Placement: common.LegendPlacementBottom, Calcs: []string{}},
		}
	case table:
		return paneltable.Options{ShowHeader: true, SortBy: []common.TableSortByFieldState{{DisplayName: p.queries[0].legend, Desc: new(true)}}, CellHeight: new(common.TableCellHeightSm)}
	}
	return timeseries.Options{
		Legend: common.VizLegendOptions{
			DisplayMode: common.LegendDisplayModeTable, Placement: common.LegendPlacementBottom, ShowLegend: true, Calcs: []string{"lastNotNull", "max"},
			SortBy: new("Max"), SortDesc: new(true),
		},
		Tooltip: common.VizTooltipOptions{Mode: common.TooltipDisplayModeMulti, Sort: common.SortOrderDescending},
	}
}

func (p panel) fields() *dashboard.FieldConfigSource {
	defaults := dashboard.FieldConfig{
		Unit: &p.unit, Thresholds: p.thresholds(), Color: &dashboard.FieldColor{Mode: p.colours()}, Custom: p.custom(), Mappings: []dashboard.ValueMapping{},
	}
	if p.none != "" {
		defaults.NoValue = &p.none
	}
	if p.max > 0 {
		defaults.Min, defaults.Max = new(0.0), &p.max
	}
	if p.kind == lines || p.kind == stack {
		defaults.Min = new(0.0)
		defaults.Max = nil // what is beyond its limit has to be seen
	}
	return &dashboard.FieldConfigSource{Defaults: defaults, Overrides: p.overrides()}
}

// colours are by the value where one colour tells something, else one for each line.
func (p panel) colours() dashboard.FieldColorModeId {
	if p.kind == lines || p.kind == stack {
		return dashboard.FieldColorModeIdPaletteClassic
	}
	return dashboard.FieldColorModeIdThresholds
}

func (p panel) thresholds() *dashboard.ThresholdsConfig {
	config := &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: []dashboard.Threshold{{Color: p.base()}}}
	for _, s := range p.steps {
		config.Steps = append(config.Steps, dashboard.Threshold{Value: &s.from, Color: s.color})
	}
	return config
}

// base is the colour of what is in order; what cannot be out of order has none of praise.
func (p panel) base() string {
	switch {
	case len(p.steps) > 0:
		return "green"
	case p.kind == table:
		return "text"
	}
	return "blue"
}

func (p panel) custom() any {
	switch p.kind {
	case lines, stack:
		style := timeseries.FieldConfig{
			DrawStyle: new(common.GraphDrawStyleLine), LineWidth: new(1.0), FillOpacity: new(0.0), ShowPoints: new(common.VisibilityModeAuto),
			LineInterpolation: new(common.LineInterpolationLinear), SpanNulls: &common.BoolOrFloat64{Bool: new(false)},
		}
		if p.max > 0 {
			style.AxisSoftMax = &p.max
		}
		if p.kind == stack {
			style.FillOpacity, style.Stacking = new(30.0), &common.StackingConfig{Mode: new(common.StackingModeNormal), Group: new("A")}
		}
		if p.kind == lines && len(p.steps) > 0 {
			style.ThresholdsStyle = &common.GraphThresholdsStyleConfig{Mode: common.GraphThresholdsStyleModeDashed}
		}
		return style
	case table:
		return common.TableFieldOptions{Align: common.FieldTextAlignmentAuto, Filterable: new(true)}
	}
	return nil
}
