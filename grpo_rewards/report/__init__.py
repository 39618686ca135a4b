"""A run, or several, as one HTML file to look at: figures, what was rewarded for which reason, and every completion.

``reading`` what a run left, in one pass · ``evaluation_answers`` what a recipe's evaluations left · ``shown`` texts and
formulas · ``rows`` completions as a browser reads them · ``figures`` what is drawn, as plotly's dictionaries · ``page``
the file · ``serving`` the file of a run that goes on, on this machine · ``template`` what the page is made of.

It needs the extra ``[report]``: jinja2 and plotly, whose script is put into the file.
"""

from grpo_rewards.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
