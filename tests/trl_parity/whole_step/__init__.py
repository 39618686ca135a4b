"""A whole step of TRL held to the papers: a real ``GRPOTrainer`` trains a tiny model, and all of it is computed again.

``tiny`` the model, its prompts and what it is made to say · ``rewards`` functions and reward models that judge that ·
``runs`` the settings · ``engines`` who generates · ``live`` one run, and what was seen in it · ``ranks`` the same in
two processes · ``forward`` log-probabilities from plain logits · ``order`` which prompts come when · ``batches`` what
a generation must become · ``configured`` a trainer as its configuration says · ``uses`` the micro-batches, losses and
gradients that must follow · ``logged`` the metrics · ``comparing`` collects how far TRL is off · ``whole`` all of it,
run after run.
"""
