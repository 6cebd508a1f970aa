"""The numbers of the sample paper: three tables and a chart. All of them are invented."""

from __future__ import annotations

from .blocks import ChartData, TableData

LOADS = TableData(
    caption=(
        "Table 1. Torque on the low-speed shaft during the first year, by row and turbine. "
        "Mean and peak are taken over all ten-minute records of a tide."
    ),
    header_rows=2,
    rows=(
        ("Row", "Turbine", "Spring tides", None, "Neap tides", None, "Reversals<br/>per day"),
        (None, None, "Mean (kNm)", "Peak (kNm)", "Mean (kNm)", "Peak (kNm)", None),
        ("North", "N1", "61.2", "118.4", "33.9", "70.1", "3.1"),
        (None, "N2", "63.8", "131.7", "34.6", "76.8", "3.9"),
        (None, "N3", "64.5", "136.2", "35.0", "79.3", "4.2"),
        ("South", "S1", "58.7", "104.9", "32.8", "61.5", "2.2"),
        (None, "S2", "59.4", "108.3", "33.1", "63.0", "2.4"),
        (None, "S3", "60.1", "112.6", "33.3", "66.2", "2.7"),
        ("Mean of all six turbines", None, "61.3", "118.7", "33.8", "69.5", "3.1"),
    ),
    spans=(
        (0, 0, 2, 1),
        (0, 1, 2, 1),
        (0, 2, 1, 2),
        (0, 4, 1, 2),
        (0, 6, 2, 1),
        (2, 0, 3, 1),
        (5, 0, 3, 1),
        (8, 0, 1, 2),
    ),
    widths=(11, 11, 15, 15, 15, 15, 16),
)

OIL = TableData(
    caption=(
        "Table 2. Oil readings of all six gearboxes at the half-yearly surveys. Viscosity is given at 40 °C; "
        "cleanliness is the particle code of ISO 4406."
    ),
    header_rows=1,
    rows=(
        (
            "Survey",
            "Turbine",
            "Running<br/>hours",
            "Oil temp.<br/>(°C)",
            "Viscosity<br/>(mm²/s)",
            "Iron<br/>(mg/kg)",
            "Water<br/>(mg/kg)",
            "Cleanliness<br/>code",
            "Remark",
        ),
        ("2021-04", "N1", "2,173", "56", "313", "23", "197", "16/14/11", "first filling"),
        ("2021-04", "N2", "2,269", "60", "312", "24", "105", "16/14/11", "first filling"),
        ("2021-04", "N3", "2,601", "61", "312", "28", "105", "17/14/12", "first filling"),
        ("2021-04", "S1", "2,257", "51", "315", "17", "124", "16/14/12", "first filling"),
        ("2021-04", "S2", "2,435", "55", "310", "21", "236", "16/14/12", "first filling"),
        ("2021-04", "S3", "2,676", "56", "309", "22", "116", "17/14/11", "first filling"),
        ("2021-10", "N1", "4,172", "60", "313", "33", "106", "17/14/11", "–"),
        ("2021-10", "N2", "4,324", "59", "312", "35", "226", "17/15/12", "breather replaced"),
        ("2021-10", "N3", "4,711", "59", "309", "41", "206", "17/15/12", "–"),
        ("2021-10", "S1", "4,334", "57", "311", "22", "152", "16/14/11", "–"),
        ("2021-10", "S2", "4,538", "55", "311", "28", "177", "17/14/12", "–"),
        ("2021-10", "S3", "4,937", "51", "307", "28", "221", "17/15/12", "heater off"),
        ("2022-04", "N1", "6,509", "58", "308", "40", "215", "17/15/12", "filter changed"),
        ("2022-04", "N2", "6,616", "56", "311", "42", "232", "17/15/12", "filter changed"),
        ("2022-04", "N3", "7,016", "58", "307", "50", "217", "18/15/12", "filter changed"),
        ("2022-04", "S1", "6,714", "51", "311", "25", "211", "17/14/11", "filter changed"),
        ("2022-04", "S2", "6,862", "56", "310", "31", "255", "17/15/12", "filter changed"),
        ("2022-04", "S3", "7,253", "54", "311", "34", "178", "17/15/11", "filter changed"),
        ("2022-10", "N1", "8,640", "57", "310", "48", "119", "17/15/12", "–"),
        ("2022-10", "N2", "8,677", "62", "305", "49", "123", "17/15/11", "–"),
        ("2022-10", "N3", "9,166", "62", "303", "60", "110", "18/16/11", "sampled twice"),
        ("2022-10", "S1", "8,869", "55", "310", "31", "125", "17/15/12", "–"),
        ("2022-10", "S2", "9,093", "53", "310", "38", "196", "17/15/12", "–"),
        ("2022-10", "S3", "9,655", "54", "305", "41", "128", "17/15/11", "–"),
        ("2023-04", "N1", "10,667", "57", "310", "54", "149", "17/15/11", "–"),
        ("2023-04", "N2", "11,052", "60", "302", "59", "157", "18/15/12", "–"),
        ("2023-04", "N3", "11,190", "59", "303", "67", "184", "18/16/12", "flakes on magnet"),
        ("2023-04", "S1", "11,172", "57", "311", "35", "248", "17/15/11", "–"),
        ("2023-04", "S2", "11,503", "57", "310", "43", "233", "17/15/12", "–"),
        ("2023-04", "S3", "11,809", "54", "302", "46", "213", "18/15/12", "–"),
        ("2023-10", "N1", "12,714", "56", "305", "60", "202", "17/15/11", "last sample"),
        ("2023-10", "N2", "13,176", "60", "299", "66", "116", "18/16/11", "last sample"),
        ("2023-10", "N3", "13,217", "60", "296", "78", "183", "19/16/11", "flakes on magnet"),
        ("2023-10", "S1", "13,569", "52", "310", "38", "186", "17/15/11", "last sample"),
        ("2023-10", "S2", "13,582", "53", "306", "47", "183", "18/15/12", "last sample"),
        ("2023-10", "S3", "13,818", "57", "304", "50", "209", "18/15/12", "last sample"),
    ),
    widths=(10, 9, 10, 10, 11, 9, 9, 13, 19),
    left_columns=(8,),
)

NOTATION = TableData(
    caption="Table 3. Symbols of the wear model.",
    header_rows=1,
    rows=(
        ("Symbol", "Meaning", "Value", "Unit"),
        ("<i>h</i>", "wear depth", "10–55", "µm"),
        ("<i>p</i><sub>m</sub>", "mean flank pressure", "412", "MPa"),
        ("<i>v</i><sub>s</sub>", "sliding speed", "0.11", "m/s"),
        ("<i>H</i>", "hardness", "7.1", "GPa"),
        ("<i>J</i>", "inertia of the rotor", "5,900", "kg m²"),
        ("<i>δ</i>", "flank play", "0.28–0.31", "mm"),
        ("<i>β</i>", "share of the blow", "0.031", "µm/J"),
        ("<i>n</i>", "reversals", "2,050–3,900", "–"),
    ),
    widths=(20, 38, 25, 17),
    left_columns=(1,),
    boxed=False,
)

WEAR = ChartData(
    caption=(
        "Figure 1. Depth of tooth wear at the final inspection, by turbine and stage. Each bar is the mean "
        "of five teeth; the error of a reading is 2 µm."
    ),
    value_axis="Wear depth (µm)",
    groups=("N1", "N2", "N3", "S1", "S2", "S3"),
    series=(
        ("Planet stage", (34.0, 47.0, 55.0, 21.0, 26.0, 30.0)),
        ("High-speed stage", (12.0, 15.0, 17.0, 10.0, 11.0, 13.0)),
    ),
    top=60.0,
    step=10.0,
)
