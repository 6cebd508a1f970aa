"""References and appendices of the sample paper. All invented but for [4]."""

from __future__ import annotations

from .blocks import Block, Heading, Listing, Paragraph, Reference

REFERENCES: list[Block] = [
    Heading("", "References", 1),
    Reference(
        "[1] A. Lindqvist and P. Rowe, “Repairs at sea: five years of a small array,” <i>Notes on Marine "
        "Machinery</i> 6, 12–29 (2021)."
    ),
    Reference(
        "[2] D. Okafor, “What a lift costs,” in <i>Proc. 4th Workshop on Tidal Operation</i>, Northhaven, "
        "77–84 (2019)."
    ),
    Reference(
        "[3] R. Castellane, M. Dufour and K. Imai, “Stops and starts: bearing damage in wind turbines,” "
        "<i>Journal of Drive Trains</i> 31, 204–219 (2017)."
    ),
    Reference(
        "[4] J. F. Archard, “Contact and rubbing of flat surfaces,” <i>Journal of Applied Physics</i> 24, "
        "981–988 (1953)."
    ),
    Reference("[5] E. Marsh, <i>Eddies behind Skerries</i>, 2nd ed. (Harbour Press, Northhaven, 2015)."),
    Reference(
        "[6] S. Petrov and L. Anand, “Iron as a witness: oil analysis in slow gearboxes,” <i>Journal of "
        "Drive Trains</i> 35, 88–102 (2021)."
    ),
    Reference("[7] T. Brandt, <i>Yearly Report of the Skerra Tidal Cooperative</i>, 2023 (in print)."),
    Reference(
        "[8] H. Olafsdottir, “Flank play and its measurement with a shaft encoder,” <i>Gear Letters</i> 12, "
        "5–11 (2018)."
    ),
    Reference("[9] W. Tanaka, “Parked in a gust,” <i>Gear Letters</i> 8, 40–47 (2014)."),
]

APPENDIX: list[Block] = [
    Heading("Appendix A", "Details of the Fit", 1),
    Heading("A.1", "Data", 2),
    Paragraph(
        "For each stage the sum in Equation (3) was formed over all reversals between the first filling and "
        "the last sample. The pressure <i>p</i><sub>m</sub> was computed from the mean torque of Table 1 "
        "and the width of the teeth; the sliding speed follows from the ratio of the gearbox and the mean "
        "speed of the rotor. The hardness was measured on a spare wheel of the same batch and is <i>H</i> = "
        "7.1 GPa."
    ),
    Paragraph(
        "Reversals that fall into a gap of the record were replaced by the mean number of the same hour in "
        "the week before and the week after. They make up 1.1 % of the total, and leaving them out moves no "
        "depth by more than 0.3 µm."
    ),
    Heading("A.2", "Result and error", 2),
    Paragraph(
        "The least squares were weighted with the number of teeth. The correlation of the two constants is "
        "−0.41, so that they can be told apart well. We repeated the fit six times and left out one machine "
        "each time. The constant <i>k</i> moved by at most 6 %, and <i>β</i> by at most 9 %; the largest "
        "move came when N3 was left out, as one would expect."
    ),
    Heading("A.3", "The start-up rule", 2),
    Paragraph("The rule that is now in force in the north row is short enough to be printed in full:"),
    Listing(
        "def release_brake(now, slack, stream):\n"
        "    # seconds after slack water\n"
        "    waited = now - slack\n"
        "    if waited < 90:\n"
        "        return False\n"
        "    return stream > 0.35  # m/s"
    ),
    Paragraph(
        "The threshold of 0.35 m/s is the stream at which the torque of the rotor first exceeds the "
        "friction of the drive train. Below it, nothing is gained by an open brake."
    ),
    Heading("Appendix B", "Notation", 1),
    Paragraph(
        "Table 3 lists the symbols of the wear model with their values. Where a value differs between "
        "machines, the range over all six is given. Lengths of wear are in micrometres throughout this "
        "paper, and all other quantities are in the units of the table. Mean values are taken over time and "
        "not over the angle of the shaft, which would give slightly smaller loads."
    ),
    Paragraph(
        "The inertia holds for the rotor with the water that moves along with it. It was found from the "
        "time that the rotor needs to come to rest after the generator has been switched off, a test that "
        "was made on each machine in the first week and that needs nothing but a stop-watch and patience. "
        "Three runs in still water agreed to within 2 %. The mass of the water alone makes up about one "
        "third of the value."
    ),
    Paragraph(
        "Flank play was measured again after the inspection. It had grown by 0.02 mm in S1 and by 0.06 mm "
        "in N3, which is about as much as the wear of both flanks together. With more play the blow of a "
        "reversal becomes harder, and the next one harder still. Three years are too short to see whether "
        "wear speeds up for this reason, but it is the question that we should most like to answer when N3 "
        "is lifted again."
    ),
]
