"""The words of the sample paper, in reading order. Study, places and people are invented."""

from __future__ import annotations

from .back_matter import APPENDIX, REFERENCES
from .blocks import Block, Footnote, Formula, Fraction, Heading, ListItem, Paragraph

TITLE = "Gearbox Wear in a Small Tidal-Turbine Array: A Three-Year Field Study"
AUTHORS = "Ines Halvorsen<super>1</super>, Tomasz Brandt<super>2</super> and Moira Keithley<super>1</super>"
AFFILIATIONS = (
    "<super>1</super> Institute of Coastal Machinery, Northhaven &nbsp;&nbsp; <super>2</super> Skerra Tidal "
    "Cooperative, Skerra Sound"
)
RUNNING_TITLE = "Gearbox wear in a small tidal-turbine array"
JOURNAL = "Notes on Marine Machinery 9 (2024)"
FIRST_PRINTED_PAGE = 101

ABSTRACT_HEADING = Heading("", "Abstract", 1)
ABSTRACT = Paragraph(
    "Gearboxes of tidal turbines turn slowly, reverse four times a day and cannot be reached for most of "
    "the year. Little has been published on how they wear. We followed the six 250 kW machines of the "
    "Skerra Sound array from April 2021 to October 2023, took 36 oil samples, recorded shaft torque without "
    "a break, and measured the teeth of every gearbox after it had been lifted. Wear of the planet stage "
    "differed by a factor of 2.6 between the best and the worst machine, although all six had run for "
    "nearly the same number of hours. Torque reversals at slack water explain most of that difference; mean "
    "load explains almost none of it. Iron in the oil told the order of the machines one year before the "
    "inspection did. A start-up rule that keeps the brake on for ninety seconds after slack water would "
    "remove two thirds of the reversals of the north row at the cost of 0.4 % of the energy."
)

_INTRODUCTION: list[Block] = [
    Heading("1", "Introduction", 1),
    Paragraph(
        "A tidal turbine works in water whose speed is known years ahead. This is often given as a reason "
        "to expect that its drive train will last: there are no gusts, and the extreme load of a spring "
        "tide can be read from a table. Yet the operators of small arrays report gearbox repairs more often "
        "than any other repair, and a repair that would take two days on a hill takes three weeks at sea, "
        "because the machine has to be lifted at neap tide in calm weather [1, 2]."
    ),
    Paragraph(
        "Most of what is known about gearbox wear comes from wind power. There the damage starts in the "
        "bearings of the high-speed shaft, and the number of emergency stops is a better guide to it than "
        "the energy that has been produced [3]. Whether the same holds under water is not clear. A tidal "
        "machine seldom stops in an emergency, but it stops four times a day at slack water, and for a few "
        "minutes the rotor moves back and forth in eddies that are too weak to make power and strong enough "
        "to take up the play between the teeth.<super>a</super>"
    ),
    Paragraph(
        "This paper reports what three years of such reversals did to the gearboxes of six equal machines. "
        "It has three aims: to describe the state of the teeth, to find which of the measured loads goes "
        "with it, and to say which sign of wear could have been seen first. The machines stand in two rows, "
        "and the north row lies in the wake of a skerry. That turned out to be of great help, because it "
        "gave us two groups with equal running hours and very different slack water."
    ),
]

_SITE: list[Block] = [
    Heading("2", "Site and Machines", 1),
    Heading("2.1", "The array", 2),
    Paragraph(
        "Skerra Sound is a strait of 900 m width with a level bed of gravel at a depth of 31 m. The stream "
        "reaches 3.4 m/s at mean spring tides and 1.9 m/s at neap tides. Six turbines stand in two rows of "
        "three, 140 m apart, and are named N1 to N3 and S1 to S3 from west to east. The northern row lies "
        "210 m from a skerry that falls dry at low water and sheds eddies on the flood. Table 1 gives the "
        "loads that were recorded during the first year."
    ),
    Heading("2.2", "Drive train", 2),
    Paragraph(
        "Each machine has a rotor of 13 m diameter with three fixed blades. It turns at up to 17 "
        "revolutions a minute and yaws by half a turn at slack water, so that the gearbox is loaded in one "
        "direction only as long as power is made. The generator has permanent magnets and runs at up to "
        "1,020 revolutions a minute."
    ),
    Heading("2.2.1", "Gearbox", 3),
    Paragraph("The gearbox has a ratio of 60 and consists of:"),
    ListItem("•", "a planet stage with three planets, case-hardened, module 10 mm;"),
    ListItem("•", "a parallel intermediate stage on roller bearings;"),
    ListItem("•", "a parallel high-speed stage, module 4 mm, with a disc brake on its shaft."),
    Paragraph(
        "All six gearboxes come from one batch. The flank play of the planet stage was between 0.28 and "
        "0.31 mm when the machines were delivered, and the tooth flanks had a mean roughness of 0.4 µm."
    ),
    Heading("2.2.2", "Lubrication", 3),
    Paragraph(
        "The casing holds 180 litres of a synthetic gear oil of grade ISO VG 320. A pump circulates the oil "
        "through a filter of 10 µm as long as the main shaft turns.<super>b</super> A heater of 600 W keeps "
        "the oil above 15 °C during stops. Oil temperature is measured in the sump. The oil was not changed "
        "during the study, but the filters were, in April 2022."
    ),
    Heading("2.3", "Operation", 2),
    Paragraph(
        "The turbines run without a crew. A controller on shore reads the tide table, releases the brake "
        "ten minutes before slack water ends, and lets the rotor start by itself when the stream is strong "
        "enough. During the whole study the rule for starting was the same for all machines, and none of "
        "them was favoured when the grid could not take the whole power. The stops that were not planned, "
        "eleven in all, were caused by the cable to shore and therefore hit all six machines at once."
    ),
]

_METHODS: list[Block] = [
    Heading("3", "Methods", 1),
    Heading("3.1", "Measurements", 2),
    Heading("3.1.1", "Oil sampling", 3),
    Paragraph(
        "Samples were taken twice a year through a hose that runs up the tower to a dry box above the "
        "water. The procedure was always the same:"
    ),
    ListItem("1.", "Let the pump run for 20 minutes after the last production."),
    ListItem("2.", "Draw off two litres and discard them, so that the hose is filled with fresh oil."),
    ListItem("3.", "Fill three bottles of 100 ml, close them at once and cool them to 5 °C."),
    ListItem("4.", "Send two bottles to the laboratory and keep the third."),
    Paragraph(
        "The laboratory measured viscosity, water, and the content of eleven metals. Only iron is used "
        "below, since it alone rose well above the error of the method, which is 2 mg/kg. One pair of "
        "bottles disagreed by more than that error; the third bottle was then measured as well, and the "
        "median was taken."
    ),
    Heading("3.1.2", "Torque and position", 3),
    Paragraph(
        "Strain gauges on the low-speed shaft gave the torque at 50 readings a second, and an encoder gave "
        "the position of the shaft with a resolution of 0.02 degrees. A reversal was counted whenever the "
        "torque changed its sign and the shaft afterwards turned by more than the flank play. Records were "
        "kept for 98.7 % of the time; the gaps are short and spread evenly over the machines."
    ),
    Heading("3.1.3", "Inspection of the teeth", 3),
    Paragraph(
        "After the machines had been lifted, five teeth of each stage were cleaned and cast in silicone "
        "rubber. The casts were scanned in the laboratory with a white-light microscope, and the wear depth "
        "was taken as the distance between the worn flank and the unworn strip near the tooth root [8]. Two "
        "persons read every cast without knowing from which machine it came. Their readings differ by 2 µm "
        "on average, which we take as the error."
    ),
    Heading("3.2", "Wear model", 2),
    Paragraph(
        "We describe the wear depth of a stage by the law of Archard, in which the depth grows with "
        "pressure and sliding distance. For a gearbox that is loaded steadily for the time <i>t</i> it "
        "reads"
    ),
    Formula(
        (
            "<i>h</i><sub>s</sub> = <i>k</i> ",
            Fraction("<i>p</i><sub>m</sub> <i>v</i><sub>s</sub>", "<i>H</i>"),
            " <i>t</i> ,",
        ),
        "(1)",
        r"h_s = k \frac{p_m v_s}{H} t",
    ),
    Paragraph(
        "where <i>p</i><sub>m</sub> is the mean pressure on the flank, <i>v</i><sub>s</sub> the sliding "
        "speed, <i>H</i> the hardness and <i>k</i> a number without unit. A reversal adds a blow, whose "
        "energy follows from the flank play <i>δ</i> and the inertia <i>J</i> of the rotor:"
    ),
    Formula(
        (
            "<i>E</i><sub>r</sub> = ",
            Fraction("1", "2"),
            " <i>J</i> (<i>ω</i><sub>1</sub> − <i>ω</i><sub>2</sub>)<super>2</super> ≤ <i>M δ</i> ",
            Fraction("1", "<i>r</i>"),
            " .",
        ),
        "(2)",
        r"E_r = \frac{1}{2} J (\omega_1 - \omega_2)^2 \leq M \delta \frac{1}{r}",
    ),
    Paragraph(
        "The wear of a stage after <i>n</i> reversals is then the sum of both parts, with one further "
        "constant <i>β</i> for the share of the blow that goes into the surface:"
    ),
    Formula(
        (
            "<i>h</i> = <i>h</i><sub>s</sub> + <i>β</i> ∑ <i>E</i><sub>r,<i>i</i></sub> , &nbsp; <i>i</i> = "
            "1 … <i>n</i> .",
        ),
        "(3)",
        r"h = h_s + \beta \sum_i E_{r,i}, \quad i = 1 \ldots n",
    ),
    Paragraph(
        "The constants <i>k</i> and <i>β</i> are the same for all machines. They were fitted by least "
        "squares to the twelve mean wear depths, two for each gearbox, so that ten degrees of freedom are "
        "left."
    ),
]

_RESULTS: list[Block] = [
    Heading("4", "Results", 1),
    Heading("4.1", "Oil condition", 2),
    Paragraph(
        "Table 2 holds all readings. Viscosity fell by 3 % on average and never left the range that the "
        "maker allows. Water stayed below 260 mg/kg in every sample and shows no trend, which speaks for "
        "the shaft seals. Oil temperature was four to five degrees higher in the north row than in the "
        "south row, and did not rise over the years."
    ),
    Paragraph(
        "Iron rose in all machines, but at different rates. The last samples lie between 38 mg/kg in S1 and "
        "78 mg/kg in N3. The order of the six machines has hardly changed since October 2022, when the "
        "difference between N3 and its neighbours first exceeded the error of the method. A second sample, "
        "taken two days later, confirmed the reading. From April 2023 on, bright flakes of up to 0.3 mm "
        "were found on the magnetic plug of N3, and on no other plug."
    ),
    Heading("4.2", "Loads", 2),
    Paragraph(
        "Mean torque differs by less than one tenth between the machines, as Table 1 shows. Peak torque "
        "differs by three tenths, and the number of reversals by nine tenths. The reversals come in bursts. "
        "In the north row, 81 % of them fall within two minutes of slack water at the end of the flood, "
        "when the eddies of the skerry drift through the row. In the south row they are spread evenly over "
        "the four slack waters of a day."
    ),
    Heading("4.3", "Tooth wear", 2),
    Heading("4.3.1", "Planet stage", 3),
    Paragraph(
        "All gearboxes were lifted and opened in November 2023. The planet stage showed a band of polished "
        "wear on the loaded flanks and, in the north row, a second and rougher band on the opposite flanks, "
        "which carry no load while power is made. Figure 1 gives the depth. It lies between 21 µm in S1 and "
        "55 µm in N3, a ratio of 2.6, while the running hours differ by less than one tenth."
    ),
    Paragraph(
        "The model of Equation (3) fits the depths with a residual of 2.4 µm, close to the error of a "
        "reading. Without the term for reversals the residual is 10.9 µm. The steady part comes to 17 µm "
        "for every machine, and all that goes beyond it belongs to the reversals.<super>c</super>"
    ),
    Heading("4.3.2", "High-speed stage", 3),
    Paragraph(
        "Wear of the high-speed stage is small, from 10 to 17 µm, and again largest in N3. We found neither "
        "pits nor scuffing. The bearings of this stage, which cause most repairs in wind turbines, were in "
        "perfect order. The likely reason is that the generator is never tripped under full load: the grid "
        "of the cooperative is buffered by a battery."
    ),
    Heading("4.4", "Energy", 2),
    Paragraph(
        "The six machines delivered 7.9 GWh in thirty months. The yield of a single machine lies between "
        "1.28 GWh in N3 and 1.35 GWh in S2, so that the wake of the skerry costs the north row about 4 %. "
        "Wear had no effect on the yield that we could measure: the efficiency of each gearbox, found from "
        "the torques on both sides, stayed at 95.6 % within the error of 0.4 %."
    ),
]

_DISCUSSION: list[Block] = [
    Heading("5", "Discussion", 1),
    Heading("5.1", "What wears the teeth", 2),
    Paragraph(
        "The comparison of the two rows leaves little room for doubt. Machines that made the same energy in "
        "the same hours, with gears of one batch and oil of one delivery, differ in wear as they differ in "
        "reversals. The rough band on the unloaded flanks can have no other origin. Temperature might be "
        "put forward as a rival cause, for the north row ran warmer; but a difference of five degrees "
        "changes the thickness of the oil film by about one tenth, which is far too little."
    ),
    Paragraph(
        "If this is right, wear can be reduced without touching the gearbox. Most reversals happen while "
        "the rotor is idle and the brake is open. Keeping the brake closed for ninety seconds after slack "
        "water would have avoided 66 % of the reversals in the north row. The energy that would have been "
        "lost in these minutes is 0.4 % of the yearly total, since the stream is still weak."
    ),
    Paragraph(
        "Iron in the oil is a useful warning, if it is read with care. A single value says nothing, because "
        "filters take out most of the larger particles and the rest depends on when the pump last ran. The "
        "difference between sister machines, however, was clear a year before the inspection. We therefore "
        "advise operators of arrays to sample all machines on the same day and to look at the spread first."
    ),
    Heading("5.2", "Limits of the study", 2),
    Paragraph(
        "Six machines are few, and they share one maker, one oil and one site. The inspection came at a "
        "single point in time, so that nothing can be said about the rate of wear in between, except by way "
        "of the iron. The torque gauges of S2 drifted in the second year and were corrected with the "
        "reading at standstill. Lastly, the model treats all reversals as equal in kind; a reversal with a "
        "cold oil film may well do more harm than one with a warm film."
    ),
    Heading("5.3", "Other sites", 2),
    Paragraph(
        "Few numbers from other sites can be set beside ours. Okafor [2] lists the lifts of an array in a "
        "river mouth, where the stream never stands still because the river adds to the ebb; in nine years, "
        "none of the lifts was due to a planet stage. Lindqvist and Rowe [1] describe two machines behind a "
        "bridge pier. One of them had to be lifted after four years with a band of wear on the unloaded "
        "flanks that, to judge by their photograph, looks much like the one we found in N3. Both reports "
        "agree with the view that it is the manner of stopping that matters, and not the load."
    ),
    Paragraph(
        "Wind turbines with a brake on the high-speed shaft suffer from reversals as well, though for "
        "another reason: they are parked in gusts [3, 9]. The remedy found there, a brake that holds the "
        "rotor lightly and slips before the teeth are hurt, might be worth a trial under water."
    ),
]

_CONCLUSIONS: list[Block] = [
    Heading("6", "Conclusions", 1),
    Paragraph("Three years in Skerra Sound suggest the following:"),
    ListItem("•", "Reversals at slack water, not mean load, decide how fast the planet stage wears."),
    ListItem("•", "A brake that stays closed a little longer is the cheapest remedy."),
    ListItem("•", "Iron in the oil shows which machine wears fastest, one year ahead."),
    ListItem("•", "The high-speed stage, the weak point of wind turbines, gave no trouble."),
    Paragraph(
        "The start-up rule has been in force in the north row since March 2024, while the south row goes on "
        "as before. We shall lift N3 and S1 again after two years."
    ),
    Heading("", "Acknowledgements", 1),
    Paragraph(
        "We thank the crew of the workboat <i>Petrel</i>, who took most of the samples, often at night. The "
        "work was paid for by the members of the cooperative."
    ),
]

BODY: list[Block] = [
    *_INTRODUCTION,
    *_SITE,
    *_METHODS,
    *_RESULTS,
    *_DISCUSSION,
    *_CONCLUSIONS,
    *REFERENCES,
    *APPENDIX,
]

FOOTNOTES = (
    Footnote("a", "The crew call these minutes “the rattle”, since they can be heard from the boat."),
    Footnote(
        "b",
        "The pump is driven by the intermediate shaft. It delivers in one direction only, so that a turn "
        "backwards is not lubricated afresh.",
    ),
    Footnote("c", "The fit gives <i>β</i> = 0.031 µm/J, with a standard error of 0.002 µm/J."),
)
