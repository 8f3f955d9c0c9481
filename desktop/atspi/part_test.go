package atspi

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The part that is read of a huge object", func() {
	DescribeTable("a run of children",
		func(from, count, first, last, length int) {
			places := run(from, count)
			Expect(places).To(HaveLen(length))
			Expect([]int{places[0], places[len(places)-1]}).To(Equal([]int{first, last}))
		},
		Entry("from the first on", 0, 5000, 0, maxPart-1, maxPart),
		Entry("around a middle near the beginning", -100, 5000, 0, maxPart-1, maxPart),
		Entry("around a middle", 2000, 5000, 2000, 2000+maxPart-1, maxPart),
		Entry("around a middle near the end", 4900, 5000, 5000-maxPart, 4999, maxPart),
	)

	It("is the cells on the screen, of a sheet", func() {
		const columns = 16384
		// From B3 to D4, with C4 in the middle.
		Expect(cellsBetween(2*columns+1, 3*columns+2, 3*columns+3, columns)).To(Equal([]int{
			2*columns + 1, 2*columns + 2, 2*columns + 3,
			3*columns + 1, 3*columns + 2, 3*columns + 3,
		}))
	})

	It("is bounded", func() {
		Expect(cellsBetween(0, 500, 99*100+99, 100)).To(HaveLen(maxPart))
	})

	DescribeTable("is no window where the corners are not around the middle",
		func(first, middle, last int) { Expect(cellsBetween(first, middle, last, 10)).To(BeNil()) },
		Entry("above", 20, 15, 45),
		Entry("below", 20, 55, 45),
		Entry("left", 22, 31, 45),
		Entry("right", 22, 37, 45),
	)
})
