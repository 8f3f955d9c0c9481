package tools

// maxCoordinate is the furthest that a place on an X display can be.
const maxCoordinate = 32_767

// Parameters that several actions share.
var (
	appName = Param{Name: "name", Type: String, Required: true, NonEmpty: true,
		Doc: "The application: a name from eval.yaml, a command, the path of an executable, or an installed application's id or name."}
	typedText = Param{Name: "text", Type: String, Required: true, NonEmpty: true, Doc: "The text to type, any Unicode."}
)

func bound(f float64) *float64 { return &f }

func key(doc string) Param {
	return Param{Name: "key", Type: String, Required: true, NonEmpty: true, Names: KeyNames,
		Doc: doc + " A name such as return or page_up, a single character, or an X keysym name."}
}

func settle(ms int) Param {
	return Param{Name: "settle_ms", Type: Integer, Default: ms, Minimum: bound(0), Maximum: bound(maxMilliseconds), Unit: "ms",
		Ignored: ignoredSettle, Doc: "The pause after the action."}
}

// element gives the parameters that name an element in the older form, which
// are moved into the step's target, and then the action's own.
func element(own ...Param) []Param {
	return append(own,
		Param{Name: "app", Type: String, TargetField: "app", Doc: "The application; belongs into target."},
		Param{Name: "title", Type: String, TargetField: "title", Doc: "The element's title; belongs into target."},
		Param{Name: "role", Type: String, TargetField: "role", Doc: "The element's role; belongs into target."},
		Param{Name: "window_index", Type: Integer, Default: 1, Minimum: bound(1), Maximum: bound(1000),
			Doc: "The application's window, counted from the front: the second and later ones are brought to the front, and nothing is looked up in another; 1 is the frontmost, which is looked at first."},
	)
}

// pointer gives the parameters of a mouse action: the place, the action's own,
// and those that every mouse action takes.
func pointer(own ...Param) []Param {
	params := []Param{coordinate("x", 0), coordinate("y", 0)}
	params = append(params, own...)
	return append(params,
		imageSize("image_width"), imageSize("image_height"),
		Param{Name: "duration", Type: Number, Default: 0.25, Minimum: bound(0), Maximum: bound(maxSeconds), Unit: "s",
			Ignored: ignoredDuration, Doc: "How long the pointer is on its way."},
		settle(500),
	)
}

// drag gives the parameters of a drag, whose motion takes its time: toolkits
// recognise a drag by the motion.
func drag() []Param {
	endX, endY := coordinate("end_x", nil), coordinate("end_y", nil)
	endX.Required, endY.Required = true, true
	params := pointer(endX, endY)
	for i := range params {
		if params[i].Name == "duration" {
			params[i].Ignored = ""
			params[i].Doc = "How long the motion takes."
		}
	}
	return params
}

func coordinate(name string, def any) Param {
	return Param{Name: name, Type: Number, Default: def, Minimum: bound(-maxCoordinate), Maximum: bound(maxCoordinate), Unit: "px",
		Doc: "A coordinate on the screen, or in a screenshot of image_width by image_height."}
}

func imageSize(name string) Param {
	return Param{Name: name, Type: Integer, Minimum: bound(1), Maximum: bound(100_000), Unit: "px",
		Doc: "The size of the screenshot that the coordinates were read from; they are scaled to the screen by it."}
}
