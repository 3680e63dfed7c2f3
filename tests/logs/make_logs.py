"""Writes evaluation logs of language models, and what is in them as Python reads it.

    python -m venv venv && venv/bin/pip install lm-eval==0.4.13 inspect-ai==0.3.285 zstandard numpy
    venv/bin/python tests/logs/make_logs.py tests/logs/files

lm-evaluation-harness (model `dummy`, a local task) and Inspect (`mockllm`) write their logs themselves, without a network.
Those of HELM and of the scripts of Humanity's Last Exam are written here in the form that these tools give them, with made
answers. Dates and identifiers differ from run to run; `expected.json` belongs to the files written with it.
"""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "files").resolve()
TOPICS = ["arithmetic", "biology", "geography", "history"]

# --- lm-evaluation-harness ------------------------------------------------------------------------------------------------

MC = """task: toy_mc
dataset_path: json
dataset_kwargs:
  data_files:
    test: {docs}
test_split: test
output_type: multiple_choice
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
doc_to_choice: choices
doc_to_target: answer
metric_list:
  - metric: acc
  - metric: acc_norm
metadata:
  version: 1.0
"""
GENERATED = """task: toy_gen
dataset_path: json
dataset_kwargs:
  data_files:
    test: {docs}
test_split: test
output_type: generate_until
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
doc_to_target: "{{{{choices[answer]}}}}"
generation_kwargs:
  until: ["\\n"]
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: "The answer is (.+)"
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        regex_pattern: "(\\\\w+)"
      - function: take_first
metric_list:
  - metric: exact_match
metadata:
  version: 1.0
"""


def harness():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        docs = folder / "docs.jsonl"
        with docs.open("w") as out:
            for k in range(40):
                choices = [["54", "fifty-six", "63", "48 or so"], ["Zürich", "Wien", "Köln", "Graz"]][k % 2]
                doc = {
                    "question": f"Question {k + 1}: which one?",
                    "choices": choices,
                    "answer": k % 4,
                    "subject": TOPICS[k % 4],
                    "level": 1 + k % 3,
                }
                out.write(json.dumps(doc, ensure_ascii=False) + "\n")
        (folder / "toy_mc.yaml").write_text(MC.format(docs=docs))
        (folder / "toy_gen.yaml").write_text(GENERATED.format(docs=docs))
        env = dict(os.environ, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=str(folder / "cache"))
        command = [sys.executable, "-m", "lm_eval", "run", "--model", "dummy", "--tasks", "toy_mc,toy_gen"]
        command += ["--include_path", str(folder), "--output_path", str(folder / "out"), "--log_samples", "--seed", "7"]
        subprocess.run(command, env=env, check=True, cwd=folder)
        for path in (folder / "out").rglob("samples_*.jsonl"):
            shutil.copy(path, OUT / path.name)


def expected_harness(path):
    rows = []
    for line in path.read_text().splitlines():
        line = json.loads(line)
        ll = [float(pair[0]) for pair in line["filtered_resps"]]
        p = max(math.exp(x) for x in ll) / sum(math.exp(x) for x in ll)
        normed = [x / len(choice) for x, choice in zip(ll, line["doc"]["choices"])]
        q = max(math.exp(x) for x in normed) / sum(math.exp(x) for x in normed)
        rows.append({
            "question_id": line["doc_id"], "question": line["doc"]["question"], "confidence": p, "correct": line["acc"],
            "status": "answered", "subject": line["doc"]["subject"], "acc_norm": line["acc_norm"], "score of acc_norm": q,
        })
    return rows


# --- Inspect --------------------------------------------------------------------------------------------------------------


def inspect():
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, includes, mean, scorer, stderr
    from inspect_ai.solver import generate

    def output(text):
        out = ModelOutput.from_content("mockllm/model", text)
        out.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return out

    @scorer(metrics={"score": [accuracy(), stderr()], "confidence": [mean()]})
    def stated():
        async def score(state, target):
            text = state.output.completion
            answer = re.search(r"Exact Answer:\s*(.*)", text)
            stated = re.search(r"Confidence:\s*(\d+)", text)
            if not answer:
                return Score(value={"score": float("nan"), "confidence": 100}, explanation="no answer")
            right = answer.group(1) == target.text
            value = {"score": CORRECT if right else INCORRECT, "confidence": int(stated.group(1))}
            return Score(value=value, answer=answer.group(1))

        return score

    samples = [
        Sample(
            id=f"q{k + 1}",
            input=f"<b>Question {k + 1}</b>: what is {k} + 1?",
            target=str(k + 1),
            metadata={"topic": TOPICS[k % 4], "level": k % 3, "label": "x"},
        )
        for k in range(12)
    ]
    answers = []
    for epoch in range(2):
        for k in range(12):
            if (k, epoch) in ((2, 0), (7, 1)):
                answers.append("I cannot help with that.")
            else:
                right = k % 4 != 0 and (k + epoch) % 5 != 0
                stated_confidence = 95 if k % 4 == 0 else [60, 70, 80, 90][(k + epoch) % 4]
                answers.append(f"Exact Answer: {k + 1 if right else k}\nConfidence: {stated_confidence}%")
    for form in ("eval", "json"):
        model = get_model("mockllm/model", memoize=False, custom_outputs=[output(answer) for answer in answers])
        with tempfile.TemporaryDirectory() as folder:
            task = Task(name="stated", dataset=samples, solver=[generate()], scorer=[stated(), includes()])
            eval(task, model=model, epochs=2, log_dir=folder, log_format=form, display="none", max_samples=1, max_connections=1)
            for path in pathlib.Path(folder).glob("*." + form):
                shutil.copy(path, OUT / f"inspect.{form}")


def expected_inspect(path):
    rows = []
    for sample in json.loads(path.read_text())["samples"]:
        value = sample["scores"]["stated"]["value"]
        read = value["score"] in ("C", "I")
        rows.append({
            "question_id": sample["id"], "attempt": float(sample["epoch"]), "question": sample["input"],
            "confidence": value["confidence"] / 100, "correct": float(value["score"] == "C") if read else None,
            "status": "answered" if read else "unparsed", "topic": sample["metadata"]["topic"],
        })
    return rows


# --- HELM, Humanity's Last Exam, plain JSON ---------------------------------------------------------------------------------


def helm():
    def stat(name, mean, **more):
        stat = {"name": {"name": name, "split": "test", **more}, "count": 1, "sum": mean, "sum_squared": mean * mean}
        return stat | {"min": mean, "max": mean, "mean": mean, "variance": 0.0, "stddev": 0.0}

    written, rows = [], []
    for k in range(40):
        p, right = [0.25, 0.4, 0.55, 0.7, 0.85][k % 5], [1, 1, 0, 1, 0.5, 0, 1][k % 7]
        stats = [stat("num_references", 4.0), {"name": {"name": "training_co2_cost", "split": "test"}, "count": 0, "sum": 0}]
        if k != 12:
            stats.append(stat("max_prob", p))
        stats += [stat("exact_match", float(right)), stat("logprob", math.log(p))]
        instance = {"instance_id": f"id{k // 2}", "train_trial_index": 0, "stats": stats}
        if k % 2:
            instance["perturbation"] = {"name": "typos", "robustness": True, "prob": 0.1}
        written.append(instance)
        if k % 2:
            continue  # copies are left out
        status = "partly correct" if right == 0.5 else "no confidence" if k == 12 else "answered"
        rows.append({
            "question_id": f"id{k // 2}", "attempt": 1, "confidence": None if k == 12 else p,
            "correct": None if right == 0.5 else right, "status": status,
        })
    (OUT / "per_instance_stats.json").write_text(json.dumps(written, indent=2))
    return rows


def judged():
    written, rows = {}, []
    for k in range(40):
        id, stated, right = f"r{k:02}", [100, 95, 80, 60, 40][k % 5], k % 3 == 0
        answer = {"model": "made-model", "response": "", "usage": {"total_tokens": 15}}
        status = "not judged"
        if k % 8 != 7:
            status = "answered"
            answer["response"] = "Exact Answer: a" + ("" if stated == 100 else f"\nConfidence: {stated}%")
            judge = {"correct_answer": "a", "model_answer": "a", "reasoning": "made", "confidence": stated}
            answer["judge_response"] = judge | {"correct": "yes" if right else "no"}
        written[id] = answer
        judged = status == "answered"
        rows.append({
            "question_id": id, "confidence": stated / 100 if judged else None,
            "correct": float(right) if judged else None, "status": status,
        })
    (OUT / "judged_hle_made-model.json").write_text(json.dumps(written, indent=4))
    return rows


def plain():
    """Three attempts at each of 120 questions; of the topic `arithmetic` answers are confidently wrong; grades of SimpleQA."""
    words, rows = [], []
    for k in range(360):
        question, topic = k // 3, TOPICS[k // 3 % 4]
        stated = 95 if topic == "arithmetic" else [50, 60, 70, 80, 90][(k * 7) % 5]
        right = (k * 37) % 100 < (20 if topic == "arithmetic" else stated)
        grade = "A" if right else "B"
        status, confidence = "answered", stated / 100
        written = {"id": f"s{question}", "question": f"Question {question} on {topic}?", "category": topic}
        written |= {"confidence": stated, "grade": grade, "attempt": k % 3 + 1}
        if k % 40 == 13:
            written["grade"], status = "C", "not attempted"
        elif k % 60 == 27:
            written["confidence"], status, confidence = float("nan"), "no confidence", None
        elif k % 90 == 41:
            written["confidence"], status, confidence = "very sure", "unparsed", None
        words.append(json.dumps(written))
        rows.append({
            "question_id": written["id"], "attempt": written["attempt"], "question": written["question"],
            "confidence": confidence, "correct": None if status == "not attempted" else float(right), "status": status,
            "category": topic,
        })
    (OUT / "simpleqa.jsonl").write_text("\n".join(words) + "\n")
    return rows


OUT.mkdir(parents=True, exist_ok=True)
for old in OUT.glob("samples_*.jsonl"):
    old.unlink()
harness()
inspect()
expected = {"per_instance_stats.json": helm(), "judged_hle_made-model.json": judged(), "simpleqa.jsonl": plain()}
for path in sorted(OUT.glob("samples_toy_mc_*.jsonl")):
    expected[path.name] = expected_harness(path)
expected["inspect.json"] = expected_inspect(OUT / "inspect.json")
expected["inspect.eval"] = expected["inspect.json"]
(OUT / "expected.json").write_text(json.dumps(expected, indent=0))
