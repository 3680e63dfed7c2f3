"""Makes the hospital export of the corpus, once: python3 tests/corpus/make_hospital.py. Python alone, no packages.

An export as a hospital's system writes it: patients with names for each of them, dates, gaps, risks in percent, outcomes
Y and N. The model is right about everyone but the intensive care unit, whose risks are 20 points too low.
`hospital_next.csv` is the month after: there the surgical ward has become too low by 12 points, too.
"""
import datetime, math, random
from pathlib import Path

HERE = Path(__file__).parent / "files"
HEADER = ["patient_id", "date", "age", "sex", "ward", "bmi", "risk", "died"]
WARDS = {"Surgery": -0.5, "Medicine": 0.0, "Cardiology": 0.2, "Neurology": -0.2, "Geriatrics": 0.3, "ICU": 1.0}
ROWS_OF = [22, 30, 16, 10, 12, 10]


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


def patients(seed, n, first, days, number, too_low):
    """Rows as texts with a point; `too_low`: by how many hundredths the risks of a ward are."""
    rng = random.Random(seed)
    dates = sorted(first + datetime.timedelta(days=rng.randrange(days)) for _ in range(n))
    for i, date in enumerate(dates):
        ward = rng.choices(list(WARDS), weights=ROWS_OF)[0]
        age = min(97, max(18, round(rng.gauss(66 if ward != "Geriatrics" else 80, 16 if ward != "Geriatrics" else 7))))
        sex = rng.choice(["f", "m"])
        bmi = f"{min(48, max(16, rng.gauss(26.5, 4.5))):.1f}" if rng.random() > 0.17 else ""
        known = -3.0 + 0.035 * (age - 62) + 0.2 * (sex == "m") + WARDS[ward] + 0.9 * rng.gauss(0, 1)
        # The risk is the truth of everyone but of the wards that are said to be too low.
        risk = round(100 * sigmoid(known), 1)
        died = rng.random() < min(0.98, risk / 100 + too_low.get(ward, 0) / 100)
        yield [f"P{number + 7 * i:06d}", date.isoformat(), str(age), sex, ward, bmi, f"{risk:.1f}%", "Y" if died else "N"]


def write(name, rows, delimiter=",", mark="."):
    lines = [delimiter.join(HEADER)]
    for row in rows:
        # dates and names keep their marks; there is no point in them
        lines.append(delimiter.join(cell.replace(".", mark) for cell in row))
    (HERE / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    year = list(patients(17, 2_500, datetime.date(2023, 1, 2), 545, 104_000, {"ICU": 20}))
    write("hospital.csv", year)
    write("hospital_decimal_comma.csv", year, ";", ",")
    month = patients(18, 900, datetime.date(2024, 7, 1), 31, 150_000, {"ICU": 20, "Surgery": 12})
    write("hospital_next.csv", month)
